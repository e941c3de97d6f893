import { WinnowAdminClient } from '@winnow/client';
import { basePath } from './base-path.ts';

/** The console's client: the browser keeps the cookie, the client the CSRF token. */
export const admin = new WinnowAdminClient({ baseUrl: `${window.location.origin}${basePath}`, timeoutMs: 130_000 });
