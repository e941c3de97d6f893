import { WinnowAdminClient } from '@winnow/client';
import { basePath } from './base-path.ts';

/** The one client of the console: the browser keeps its cookie, this keeps the CSRF token. */
export const admin = new WinnowAdminClient({ baseUrl: `${window.location.origin}${basePath}`, timeoutMs: 130_000 });
