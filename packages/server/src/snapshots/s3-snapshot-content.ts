import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { readStart } from '../domain/shared/byte-collector.ts';
import type { StoredContent } from '../domain/storage/attachments.ts';
import type { SnapshotContent } from '../domain/storage/snapshot-ports.ts';
import { KeyedMutex } from '../sqlite/mutex.ts';
import { CONTENT_SUFFIX, hashBytes, isContentAddress, pack, pathOfContent, unpack } from './packed-html.ts';
import { messageOf } from '../domain/shared/errors.ts';

export interface S3SnapshotOptions {
  readonly bucket: string;
  /** With a trailing slash. Default: none. */
  readonly prefix?: string;
  /** Absent: Amazon's, by region. */
  readonly endpoint?: string;
  readonly region: string;
  /** Absent: the SDK's chain (environment, instance role, …). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** Required by most compatible services. */
  readonly pathStyle: boolean;
  /** Time limit without a received byte. Default 5000. */
  readonly requestTimeoutMs?: number;
  /** Upload in parts above this size. Default 8 MiB; the protocol's minimum is 5 MiB. */
  readonly partBytes?: number;
}

/** Bridges a restart and `503 SlowDown`. */
const MAX_ATTEMPTS = 5;

/** The SDK retries only failures before the body. */
const READ_ATTEMPTS = 4;
const READ_PAUSE_MS = 100;

const CONNECT_TIMEOUT_MS = 2000;
const REQUEST_TIMEOUT_MS = 5000;
const PART_BYTES = 8 * 1024 * 1024;

/** A put leaves younger content unchanged. A third of the sweeper's grace period (15 minutes). */
const FRESH_MS = 5 * 60 * 1000;

/**
 * Snapshots as objects. Conditional writes (`If-None-Match: *`) skip existing content, unless the sweeper may be about
 * to remove it.
 */
export class S3SnapshotContent implements SnapshotContent {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #partBytes: number;
  readonly #mutex = new KeyedMutex();

  constructor(options: S3SnapshotOptions) {
    const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#client = new S3Client({
      region: options.region,
      forcePathStyle: options.pathStyle,
      maxAttempts: MAX_ATTEMPTS,
      ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
      ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
      // The content address is the checksum; some services reject the SDK's trailers.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: {
        connectionTimeout: CONNECT_TIMEOUT_MS,
        requestTimeout,
        throwOnRequestTimeout: true,
        socketTimeout: requestTimeout,
      },
    });
    this.#bucket = options.bucket;
    this.#prefix = options.prefix ?? '';
    this.#partBytes = options.partBytes ?? PART_BYTES;
  }

  async put(html: string): Promise<StoredContent> {
    const bytes = Buffer.from(html, 'utf8');
    const hash = await hashBytes(bytes);
    const packed = await pack(bytes);
    const storedBytes = await this.#mutex.run(hash, () => this.#write(this.#keyOf(hash), packed));
    return { hash, bytes: bytes.length, storedBytes };
  }

  async get(hash: string): Promise<string | undefined> {
    const key = this.#keyOf(hash);
    for (let left = READ_ATTEMPTS - 1; ; left -= 1) {
      try {
        const packed = await this.#read(key);
        return packed && (await unpack(packed, hash, `the snapshot object ${key}`));
      } catch (error) {
        if (left === 0) throw error;
        await sleep(READ_PAUSE_MS * (READ_ATTEMPTS - left));
      }
    }
  }

  /** The ETag condition makes check and deletion atomic, see {@link renew}. */
  async delete(hash: string, putBefore?: Date): Promise<void> {
    const Key = this.#keyOf(hash);
    await this.#mutex.run(hash, async () => {
      const found = putBefore === undefined ? undefined : await this.#head(Key);
      if (putBefore !== undefined && !(found && found.putAt < putBefore)) return;
      const condition = found?.etag === undefined ? {} : { IfMatch: found.etag };
      await this.#client
        .send(new DeleteObjectCommand({ Bucket: this.#bucket, Key, ...condition }))
        .catch(ignoreStatuses(404, 412));
    });
  }

  async *listPutBefore(time: Date): AsyncGenerator<readonly string[]> {
    const pages = paginateListObjectsV2({ client: this.#client }, { Bucket: this.#bucket, Prefix: this.#prefix });
    for await (const { Contents = [] } of pages) {
      const hashes = Contents.flatMap(({ Key = '', LastModified }) => {
        const name = Key.slice(Key.lastIndexOf('/') + 1);
        const hash = name.endsWith(CONTENT_SUFFIX) ? name.slice(0, -CONTENT_SUFFIX.length) : '';
        const isOurs = isContentAddress(hash) && Key === this.#keyOf(hash);
        return isOurs && LastModified !== undefined && LastModified < time ? [hash] : [];
      });
      if (hashes.length > 0) yield hashes;
    }
  }

  async check(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket })).catch((error: unknown) => {
      throw new Error(`the bucket ${this.#bucket} does not answer: ${describe(error)}`, { cause: error });
    });
  }

  close(): void {
    this.#client.destroy();
  }

  async #write(key: string, packed: Buffer<ArrayBuffer>): Promise<number> {
    if (await this.#create(key, packed)) return packed.length;
    const found = await this.#head(key);
    if (found && Date.now() - found.putAt.getTime() < FRESH_MS) return found.bytes;
    const renewed = renew(packed);
    await this.#send(key, renewed, false);
    return renewed.length;
  }

  async #create(key: string, packed: Buffer<ArrayBuffer>): Promise<boolean> {
    for (let left = MAX_ATTEMPTS - 1; ; left -= 1) {
      try {
        await this.#send(key, packed, true);
        return true;
      } catch (error) {
        const status = statusOf(error);
        if (status === 412) return false;
        // 409: a concurrent writer; the retry sees its result.
        if (status !== 409 || left === 0) throw error;
        await sleep(READ_PAUSE_MS);
      }
    }
  }

  async #send(Key: string, Body: Buffer<ArrayBuffer>, onlyNew: boolean): Promise<void> {
    const params = {
      Bucket: this.#bucket,
      Key,
      Body,
      ContentType: 'application/zstd',
      ...(onlyNew ? { IfNoneMatch: '*' } : {}),
    };
    if (Body.length <= this.#partBytes) {
      await this.#client.send(new PutObjectCommand({ ...params, ContentLength: Body.length }));
      return;
    }
    await new Upload({ client: this.#client, params, partSize: this.#partBytes, queueSize: 4 }).done();
  }

  async #read(Key: string): Promise<Buffer | undefined> {
    const answer = await this.#client
      .send(new GetObjectCommand({ Bucket: this.#bucket, Key }))
      .catch(ignoreStatuses(404));
    return answer && readStart(answer.Body as Readable, Infinity);
  }

  async #head(Key: string): Promise<{ putAt: Date; bytes: number; etag: string | undefined } | undefined> {
    const found = await this.#client
      .send(new HeadObjectCommand({ Bucket: this.#bucket, Key }))
      .catch(ignoreStatuses(404));
    if (found === undefined) return undefined;
    return { putAt: found.LastModified ?? new Date(), bytes: found.ContentLength ?? 0, etag: found.ETag };
  }

  #keyOf(hash: string): string {
    return this.#prefix + pathOfContent(hash);
  }
}

/** Changes the ETag by appending a skippable zstd frame (RFC 8878, 3.1.2) with a random payload. */
function renew(packed: Buffer<ArrayBuffer>): Buffer<ArrayBuffer> {
  const payload = randomBytes(8);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(0x18_4d_2a_50, 0);
  head.writeUInt32LE(payload.length, 4);
  return Buffer.concat([packed, head, payload]);
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function ignoreStatuses(...statuses: readonly number[]): (error: unknown) => undefined {
  return (error) => {
    const status = statusOf(error);
    if (status === undefined || !statuses.includes(status)) throw error;
    return undefined;
  };
}

/** For clients: of system errors only the code, because the message contains addresses. HEAD errors have no message. */
function describe(error: unknown): string {
  const status = statusOf(error);
  const message = (error as NodeJS.ErrnoException).code ?? messageOf(error);
  return status === undefined ? message : `${message} (status ${status})`;
}
