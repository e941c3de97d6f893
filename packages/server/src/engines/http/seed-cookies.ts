import { Cookie, CookieJar } from 'tough-cookie';
import type { CaptureCookie } from '../../domain/request-options/page-options.ts';

/** Returns a jar that holds the cookies of a request. */
export function seedCookies(cookies: readonly CaptureCookie[], target: URL): CookieJar {
  const jar = new CookieJar();
  for (const { name: key, value, domain, path, secure } of cookies) {
    const cookie = new Cookie({ key, value, path, secure, ...(domain === undefined ? {} : { domain }) });
    // The jar accepts a secure cookie only for https.
    const origin = `${secure ? 'https:' : target.protocol}//${domain ?? target.hostname}${path}`;
    jar.setCookieSync(cookie, origin);
  }
  return jar;
}
