import type { CaptureCookie } from '../../../domain/request-options/capture-options.ts';
import type { DevtoolsConnection } from '../devtools/devtools-connection.ts';

/** Gives the cookies of a request to a browser context, before it has a page. */
export async function setCookies(
  connection: DevtoolsConnection,
  browserContextId: string,
  cookies: readonly CaptureCookie[],
  target: URL,
): Promise<void> {
  await connection.send('Storage.setCookies', {
    browserContextId,
    cookies: cookies.map(({ name, value, domain, path, secure }) => ({
      name,
      value,
      path,
      secure,
      // A secure cookie is only taken from https.
      ...(domain === undefined
        ? { url: `${secure ? 'https:' : target.protocol}//${target.host}/` }
        : { domain: `.${domain}` }),
    })),
  });
}
