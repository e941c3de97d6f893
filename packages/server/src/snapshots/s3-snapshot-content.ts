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
import type { SnapshotContent, StoredContent } from '../domain/ports.ts';
import { KeyedMutex } from './keyed-mutex.ts';
import { CONTENT_SUFFIX, hashBytes, isContentAddress, pack, pathOfContent, unpack } from './packed-html.ts';

export interface S3SnapshotOptions {
  readonly bucket: string;
  /** Before every key, with its slash: `snapshots/`. Default: none. */
  readonly prefix?: string;
  /** Address of an S3-compatible service; none: Amazon's, by region. */
  readonly endpoint?: string;
  readonly region: string;
  /** None: the SDK's own chain (environment, instance role, …). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
  /** The bucket stands in the path, not in the host name; what most compatible services want. */
  readonly pathStyle: boolean;
  /** Milliseconds without a byte after which a try is given up. Default 5000. */
  readonly requestTimeoutMs?: number;
  /** Content above this many stored bytes goes up in parts of this size. Default 8 MiB; the protocol's least is 5 MiB. */
  readonly partBytes?: number;
}

/** Tries of one call: the SDK's own back-off between them bridges a restart and `503 SlowDown`. */
const MAX_ATTEMPTS = 5;

/** Tries of a read whose body broke off: the SDK retries what fails before the body alone. */
const READ_ATTEMPTS = 4;
const READ_PAUSE_MS = 100;

const CONNECT_TIMEOUT_MS = 2000;
const REQUEST_TIMEOUT_MS = 5000;
const PART_BYTES = 8 * 1024 * 1024;

/**
 * Content that is there and younger than this is left as it is by a put. A third of the time for which
 * the sweeper spares content without a row (15 minutes), so that the row comes well before it.
 */
const FRESH_MS = 5 * 60 * 1000;

/**
 * Snapshots as objects `<prefix>ab/cd/<sha256>.html.zst`. An object appears whole or not at all, and is
 * acknowledged only after the service has it. Writes are conditional (`If-None-Match: *`): content that
 * is there already is not sent again, unless it is so old that the sweeper might be about to take it.
 * A service that does not know conditions overwrites it with the same bytes, which does no harm.
 */
export class S3SnapshotContent implements SnapshotContent {
  readonly #client: S3Client;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #partBytes: number;
  /** Puts and deletes of one address in this process come one after the other. */
  readonly #mutex = new KeyedMutex();

  constructor(options: S3SnapshotOptions) {
    const requestTimeout = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#client = new S3Client({
      region: options.region,
      forcePathStyle: options.pathStyle,
      maxAttempts: MAX_ATTEMPTS,
      ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
      ...(options.credentials === undefined ? {} : { credentials: options.credentials }),
      // The content address is the checksum; the SDK's own trailers are not understood everywhere.
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

  /**
   * The condition on the ETag makes looking and deleting one step: a put in between gives the object
   * another ETag, see {@link renew}.
   */
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

  /** Ends idle connections. */
  close(): void {
    this.#client.destroy();
  }

  /** Bytes as stored. */
  async #write(key: string, packed: Buffer<ArrayBuffer>): Promise<number> {
    if (await this.#create(key, packed)) return packed.length;
    const found = await this.#head(key);
    if (found && Date.now() - found.putAt.getTime() < FRESH_MS) return found.bytes;
    const renewed = renew(packed);
    await this.#send(key, renewed, false);
    return renewed.length;
  }

  /** False when an object is there already. */
  async #create(key: string, packed: Buffer<ArrayBuffer>): Promise<boolean> {
    for (let left = MAX_ATTEMPTS - 1; ; left -= 1) {
      try {
        await this.#send(key, packed, true);
        return true;
      } catch (error) {
        const status = statusOf(error);
        if (status === 412) return false;
        // 409: another writer of the same key was under way; whoever comes next sees what came of it.
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
    // What fails on the way is aborted, so that no parts stay behind.
    await new Upload({ client: this.#client, params, partSize: this.#partBytes, queueSize: 4 }).done();
  }

  async #read(Key: string): Promise<Buffer | undefined> {
    const answer = await this.#client
      .send(new GetObjectCommand({ Bucket: this.#bucket, Key }))
      .catch(ignoreStatuses(404));
    if (answer === undefined) return undefined;
    const chunks: Buffer[] = [];
    for await (const chunk of answer.Body as Readable) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
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

/**
 * The same content with other bytes, so that its ETag, which S3 makes from the bytes, is new: a
 * skippable frame of zstd (RFC 8878, 3.1.2) with a random payload behind it.
 */
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

/**
 * Errors of HEAD have no body and so no message: then the status says more than "UnknownError". Of those of the system
 * the code alone: strangers read it, and the message names addresses.
 */
function describe(error: unknown): string {
  const status = statusOf(error);
  const message = (error as NodeJS.ErrnoException).code ?? (error instanceof Error ? error.message : String(error));
  return status === undefined ? message : `${message} (status ${status})`;
}
