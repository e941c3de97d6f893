import type { CaptureOptions } from '../../domain/request-options/capture-options.ts';

/** What a request says of the one who asks. */
export interface RequestIdentity {
  readonly userAgent: string;
  /** Value of the Accept-Language header. */
  readonly acceptLanguage: string;
}

/** Returns the identity of a request: what its options say, else what the deployment says. */
export function identityOf(options: CaptureOptions = {}, deployment: RequestIdentity): RequestIdentity {
  const { userAgent, acceptLanguage, locale, device } = options;
  const ofDevice = device === 'mobile' ? toMobileUserAgent(deployment.userAgent) : deployment.userAgent;
  return {
    userAgent: userAgent ?? ofDevice,
    acceptLanguage: acceptLanguage ?? (locale === undefined ? deployment.acceptLanguage : acceptOfLocale(locale)),
  };
}

/**
 * Returns the User-Agent of the same browser on a phone, with the model that Chrome gives every phone. One that is not of
 * the form of a browser stays.
 */
function toMobileUserAgent(userAgent: string): string {
  return userAgent
    .replace(/^(Mozilla\/5\.0 )\([^)]*\)/, '$1(Linux; Android 10; K)')
    .replace(/(?<! Mobile)( Safari\/)/, ' Mobile$1');
}

function acceptOfLocale(locale: string): string {
  const [language = locale] = locale.split('-');
  return language === locale ? locale : `${locale},${language};q=0.9`;
}

/**
 * Returns the languages of an Accept-Language value as a plain list, the most wanted first: a browser adds the weights
 * itself, and knows no `*`.
 */
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
