import { WinnowAdminClient } from '@winnow/client';

/** The one client of the console: the browser keeps its cookie, this keeps the CSRF token. */
export const admin = new WinnowAdminClient({ baseUrl: window.location.origin, timeoutMs: 130_000 });
