import type { S3SnapshotOptions } from '../../packages/server/src/snapshots/s3-snapshot-content.ts';

/** Environment variables that name a node's bucket. */
export function describeS3({
  endpoint = '',
  bucket,
  prefix = '',
  credentials,
}: S3SnapshotOptions): Record<string, string> {
  return {
    WINNOW_S3_ENDPOINT: endpoint,
    WINNOW_S3_BUCKET: bucket,
    WINNOW_S3_PREFIX: prefix,
    WINNOW_S3_ACCESS_KEY_ID: credentials?.accessKeyId ?? '',
    WINNOW_S3_SECRET_ACCESS_KEY: credentials?.secretAccessKey ?? '',
    WINNOW_S3_PATH_STYLE: 'true',
  };
}
