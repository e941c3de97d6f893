import { createHash } from 'node:crypto';
import { describePath, splitAddress } from '@winnow/extract/matching';
import { AppError } from '../shared/errors.ts';
import type { ProjectEgress, UrlPolicy } from './capture-ports.ts';
import type { CaptureOptions, PageOptions } from '../request-options/page-options.ts';
import { checkPageOptions, type OfferedOptions } from '../request-options/check-page-options.ts';
import type { StorageQuota } from '../storage/project-quota.ts';

// oxlint-disable-next-line no-control-regex -- searches for control characters
const CONTROL = /[\u0000-\u001f\u007f]/;

/**
 * @param field JSON path for the message
 * @throws {AppError} `invalid_request` or `url_not_allowed`
 */
export function checkTarget(text: string, field: string, policy: UrlPolicy, project?: ProjectEgress): URL {
  const control = CONTROL.exec(text);
  if (control) {
    const name = `U+${control[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
    throw new AppError(
      'invalid_request',
      `${field}: contains the control character ${name} at position ${control.index}`,
    );
  }
  const url = URL.parse(text);
  if (!url) {
    const reason = /^https?:/i.test(text) ? 'its host or port is not valid' : 'it must begin with https:// or http://';
    throw new AppError('invalid_request', `${field}: is not an absolute URL: ${reason}`);
  }
  try {
    policy.checkUrl(url, project);
  } catch (error) {
    throw error instanceof AppError ? new AppError(error.code, `${field}: ${error.message}`, { cause: error }) : error;
  }
  return url;
}

export interface CaptureTarget {
  /** As the caller gave it. */
  readonly given: string;
  readonly url: URL;
  readonly options: CaptureOptions;
}

export interface PrepareTargetDeps extends OfferedOptions {
  readonly urlPolicy: UrlPolicy;
  /** Egress rules of projects, by id. */
  readonly projectEgress: ReadonlyMap<string, ProjectEgress>;
  readonly storage: StorageQuota;
}

interface WantedTarget {
  readonly projectId: string;
  readonly url: string;
  readonly page: PageOptions;
  /** JSON path before `url` and `options`, with its dot, for messages. */
  readonly path: string;
  /** False if a stored page may be reused, which needs no space. Default: true. */
  readonly isFetched?: boolean;
}

/**
 * Checks a fetch in stage `request`, so that a refused request does not wait.
 * @throws {AppError} `invalid_request`, `url_not_allowed`, `storage_quota_exceeded`
 */
export async function prepareTarget(deps: PrepareTargetDeps, wanted: WantedTarget): Promise<CaptureTarget> {
  const { projectId, url: given, page, path, isFetched = true } = wanted;
  const url = checkTarget(given, `${path}url`, deps.urlPolicy, deps.projectEgress.get(projectId));
  const options = checkPageOptions(page, url, `${path}options`, deps);
  if (isFetched) await deps.storage.requireRoom(projectId);
  return { given, url, options };
}

/** Hex characters: 64 bits. */
const SHAPE_LENGTH = 16;

/** Returns a short key for the addresses of a host that have one shape. */
export function shapeKeyOf(url: URL): string {
  const parts = splitAddress(url.href);
  const shape = parts === undefined ? '' : describePath(parts);
  return `${hostKeyOf(url)} ${createHash('sha256').update(shape).digest('hex').slice(0, SHAPE_LENGTH)}`;
}

/** Returns host and port without the default port. */
export function hostKeyOf({ hostname, port }: URL): string {
  const name = withoutRootDot(hostname);
  return port === '' ? name : `${name}:${port}`;
}

/** `example.com.` and `example.com` are the same host. */
export function withoutRootDot(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.') end--;
  return name.slice(0, end);
}
