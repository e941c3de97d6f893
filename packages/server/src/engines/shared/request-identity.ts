import type { CaptureOptions } from '../../domain/request-options/page-options.ts';

export interface RequestIdentity {
  readonly userAgent: string;
  readonly acceptLanguage: string;
}

export function identityOf(options: CaptureOptions = {}, deployment: RequestIdentity): RequestIdentity {
  const { user_agent: userAgent, accept_language: acceptLanguage, locale, device } = options;
  const ofDevice = device === 'mobile' ? toMobileUserAgent(deployment.userAgent) : deployment.userAgent;
  return {
    userAgent: userAgent ?? ofDevice,
    acceptLanguage: acceptLanguage ?? (locale === undefined ? deployment.acceptLanguage : acceptOfLocale(locale)),
  };
}

/** Converts a browser's User-Agent to Chrome's on a phone; returns others unchanged. */
function toMobileUserAgent(userAgent: string): string {
  return userAgent
    .replace(/^(Mozilla\/5\.0 )\([^)]*\)/, '$1(Linux; Android 10; K)')
    .replace(/(?<! Mobile)( Safari\/)/, ' Mobile$1');
}

function acceptOfLocale(locale: string): string {
  const [language = locale] = locale.split('-');
  return language === locale ? locale : `${locale},${language};q=0.9`;
}

/** Returns languages by preference; a browser adds the weights itself and does not know `*`. */
export function languageList(acceptLanguage: string): string {
  return acceptLanguage
    .split(',')
    .map((range) => {
      const [tag = '', weight = ''] = range.split(';').map((part) => part.trim());
      return { tag, weight: weight === '' ? 1 : Number(weight.slice(2)) };
    })
    .filter(({ tag, weight }) => tag !== '*' && weight > 0)
    .toSorted((one, other) => other.weight - one.weight)
    .map(({ tag }) => tag)
    .join(',');
}
