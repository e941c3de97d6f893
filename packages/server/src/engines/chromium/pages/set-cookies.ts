import type { CaptureCookie } from '../../../domain/request-options/page-options.ts';
import type { DevtoolsConnection, DevtoolsSession } from '../devtools/devtools-connection.ts';

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
      // Chromium accepts a secure cookie only for https.
      ...(domain === undefined
        ? { url: `${secure ? 'https:' : target.protocol}//${target.host}/` }
        : { domain: `.${domain}` }),
    })),
  });
}

export async function readCookies(session: DevtoolsSession, url: URL): Promise<CaptureCookie[]> {
  const { cookies } = await session.send('Network.getCookies', { urls: [url.href] });
  return cookies.map(({ name, value, domain, path, secure }) => ({
    name,
    value,
    path,
    secure,
    ...(domain.startsWith('.') ? { domain: domain.slice(1) } : {}),
  }));
}
