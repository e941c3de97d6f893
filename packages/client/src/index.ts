export { WinnowAdminClient, projectPath } from './admin-client.ts';
export type * from './contract-types.ts';
export {
  WinnowApiError,
  WinnowConnectionError,
  WinnowError,
  WinnowProtocolError,
  WinnowTimeoutError,
} from './errors.ts';
export { collect, paginate } from './paginate.ts';
export type { ListPage } from './paginate.ts';
export type { Call, CallOptions, TransportOptions } from './send.ts';
export type { WaitOptions } from './wait-for-batch.ts';
export { WinnowClient } from './winnow-client.ts';
export type { PageOutcome, WinnowClientOptions } from './winnow-client.ts';
