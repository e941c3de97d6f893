import type { CaptureOptions } from './capture-options.ts';

/** Describes options for traces: only the names of secret values. */
export function describeOptions(options: CaptureOptions, proxy?: string): Record<string, unknown> {
  const { headers, cookies, ...open } = options;
  const shown = Object.entries({
    ...open,
    headers: headers && Object.keys(headers),
    cookies: cookies?.map(({ name }) => name),
    proxy,
  }).filter(([, value]) => value !== undefined);
  return shown.length === 0 ? {} : { options: Object.fromEntries(shown) };
}
