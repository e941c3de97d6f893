import path from 'node:path';
import { ConfigError, resolveDataDir, type Config } from '../config/config.ts';
import type { StoredContent } from '../domain/storage/attachments.ts';
import type { SnapshotContent } from '../domain/storage/snapshot-ports.ts';
import { makeFolder } from './open-configured-store.ts';
import type { OnStorageError } from '../sqlite/sqlite-faults.ts';
import { LocalSnapshotContent } from '../snapshots/local-snapshot-content.ts';

export interface OpenSnapshots {
  readonly content: SnapshotContent;
  /** Undefined for a bucket. */
  readonly file?: string;
  close(): Promise<void>;
}

/**
 * Opens an S3 bucket if configured, else a database in the data folder.
 * @throws {ConfigError} for incomplete credentials
 */
export async function openSnapshots(config: Config, onStorageError?: OnStorageError): Promise<OpenSnapshots> {
  if (config.s3Bucket === null) {
    await makeFolder(resolveDataDir(config));
    const files = openSnapshotFiles(config, onStorageError);
    return { content: files, file: files.file, close: () => files.close() };
  }
  const { s3Bucket: bucket, s3Prefix: prefix, s3Endpoint: endpoint, s3Region: region, s3PathStyle: pathStyle } = config;
  const credentials = readCredentials(config);
  const { S3SnapshotContent } = await import('../snapshots/s3-snapshot-content.ts');
  const content = new S3SnapshotContent({
    bucket,
    prefix,
    region,
    pathStyle,
    ...(endpoint === null ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
  });
  return { content, close: async () => content.close() };
}

export function openSnapshotFiles(config: Config, onStorageError?: OnStorageError): LocalSnapshotContent {
  return new LocalSnapshotContent(folderOf(config), onStorageError);
}

/** Puts the small page of a first start in the data folder: a thread for it would take 90 ms of processor time. */
export async function putInThisThread(config: Config, html: string): Promise<StoredContent> {
  const { closeContent, put } = await import('../snapshots/content-tasks.ts');
  try {
    const [outcome] = await put({ folder: folderOf(config), texts: [html] });
    if (outcome?.stored === undefined) throw outcome?.error;
    return outcome.stored;
  } finally {
    closeContent();
  }
}

function folderOf(config: Config): string {
  return path.join(resolveDataDir(config), 'snapshots');
}

function readCredentials(config: Config): { accessKeyId: string; secretAccessKey: string } | undefined {
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config;
  if (accessKeyId !== null && secretAccessKey !== null) return { accessKeyId, secretAccessKey };
  if (accessKeyId === null && secretAccessKey === null) return undefined;
  throw new ConfigError(['WINNOW_S3_ACCESS_KEY_ID, WINNOW_S3_SECRET_ACCESS_KEY: both or neither must be set']);
}
