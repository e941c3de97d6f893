/**
 * `node test/cluster/s3-server.ts PORT FOLDER`: the S3 service of the tests, on loopback, with one bucket `winnow-test`
 * and the key S3RVER / S3RVER. It promises no durability.
 */
import { startTestS3 } from '../../packages/server/src/snapshots/testing/test-s3.ts';

const [port = '0', folder = ''] = process.argv.slice(2);
const server = await startTestS3({ port: Number(port), ...(folder === '' ? {} : { folder }) });
process.once('SIGTERM', () => void server.stop());
