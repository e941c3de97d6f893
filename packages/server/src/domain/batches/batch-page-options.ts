import { AppError } from '../shared/errors.ts';
import { hasSecrets, type PageOptions } from '../request-options/page-options.ts';
import { checkOffered, checkCookies, type OfferedOptions } from '../request-options/check-page-options.ts';
import { siteOf } from '../request-options/target-site.ts';
import type { SecretBox } from '../shared/secrets.ts';
import type { BatchOptions, BatchTarget } from './batch-ports.ts';

export type StoredPageOptions = Pick<BatchOptions, 'page' | 'sealed'>;

type Secrets = Pick<PageOptions, 'headers' | 'cookies'>;

const AT_ONCE = 2000;

/**
 * Checks the page options of a batch against all targets.
 * @throws {AppError} `invalid_request` for cookies of another site, and for secrets that would go to several sites
 */
export async function checkBatchPage(
  page: PageOptions,
  targets: readonly BatchTarget[],
  offered: OfferedOptions,
): Promise<void> {
  checkOffered(page, 'options', offered);
  if (!hasSecrets(page)) return;
  const first = await requireOneSite(targets);
  if (first !== undefined) checkCookies(page.cookies ?? [], first, 'options');
}

/** Returns the first URL. Invalid URLs fail later, as items. */
async function requireOneSite(targets: readonly BatchTarget[]): Promise<URL | undefined> {
  let first: URL | undefined;
  for (const [index, { kind, value }] of targets.entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await new Promise((resolve) => setImmediate(resolve));
    const url = kind === 'url' ? URL.parse(value) : null;
    if (url === null) continue;
    first ??= url;
    if (siteOf(url.hostname) === siteOf(first.hostname)) continue;
    const sites = `item ${index} is of ${siteOf(url.hostname)}, the first of ${siteOf(first.hostname)}`;
    throw new AppError(
      'invalid_request',
      `options.headers, options.cookies: all urls of the batch must be of one site; ${sites}. Make a batch for each site`,
    );
  }
  return first;
}

/** @throws {AppError} `invalid_request` without a key for sealing secrets */
export function sealPage(page: PageOptions, projectId: string, box: SecretBox | undefined): StoredPageOptions {
  const { headers, cookies, ...open } = page;
  if (!hasSecrets({ headers, cookies })) return { page };
  if (box === undefined) {
    const message =
      'options.headers, options.cookies: batches of this deployment cannot keep secrets; its operator sets WINNOW_SECRET_KEY';
    throw new AppError('invalid_request', message);
  }
  return { page: open, sealed: box.seal(JSON.stringify({ headers, cookies }), projectId) };
}

/** @throws {AppError} `invalid_request` when the secrets were sealed with another key */
export function unsealPage(
  { page, sealed }: StoredPageOptions,
  projectId: string,
  box: SecretBox | undefined,
): PageOptions | undefined {
  if (page === undefined || sealed === undefined) return page;
  const text = box?.open(sealed, projectId);
  if (text === undefined) {
    const message =
      'options.headers, options.cookies: were stored with another WINNOW_SECRET_KEY and cannot be read; create the batch again';
    throw new AppError('invalid_request', message);
  }
  return { ...page, ...(JSON.parse(text) as Secrets) };
}
