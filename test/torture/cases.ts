import { MARK, PARAGRAPH } from '../site/route.ts';
import type { TestSite } from '../site/start-test-site.ts';

/** One kind of request that a caller may make. */
export interface Case {
  readonly kind: 'good' | 'slow' | 'hostile' | 'dead' | 'refused' | 'impatient' | 'worker-kill';
  /** Relative frequency. */
  readonly weight: number;
  readonly path: '/v1/extract' | '/v1/dom/dump';
  readonly body: object;
  /** Milliseconds after which the caller disconnects; undefined: it waits for the answer. */
  readonly patienceMs?: number;
  /** For `good` cases: text that the HTML or main text must contain, unless the answer is `overloaded`. */
  readonly expected?: string;
}

/** A port of loopback on which nothing listens. */
const DEAD_PORT = 90;

type Engine = 'auto' | 'http' | 'chrome' | 'vendor_lite' | 'vendor_dom' | 'stable' | 'chrome_cdp';

/** All cases: mostly good pages, and some that may do harm. */
export function listCases(site: TestSite): Case[] {
  const at = (path: string): string => site.origin + path;
  const dump = (kind: Case['kind'], weight: number, url: string, engine: Engine, timeoutMs = 15_000): Case => ({
    kind,
    weight,
    path: '/v1/dom/dump',
    body: { url, options: { engine_preference: engine, timeout_ms: timeoutMs } },
  });
  const extract = (kind: Case['kind'], weight: number, url: string, workflow?: object): Case => ({
    kind,
    weight,
    path: '/v1/extract',
    body: { extract: { url }, ...(workflow ? { workflow } : {}) },
  });
  /** Returns the stored HTML, so that the final check can look for it. */
  const withRawDom = (item: Case): Case => ({ ...item, body: { ...item.body, trace: { include_raw_dom: true } } });
  const good = (item: Case, expected = MARK): Case => ({ ...item, expected });
  return [
    good(dump('good', 20, at('/static'), 'http')),
    good(withRawDom(extract('good', 20, at('/static'))), PARAGRAPH),
    good(withRawDom(extract('good', 4, at('/client')))),
    good(dump('good', 3, at('/client'), 'vendor_lite')),
    good(dump('good', 2, at('/many'), 'chrome')),
    good(dump('good', 2, at('/static'), 'chrome_cdp')),
    good(dump('good', 1, at('/lazy'), 'stable')),
    dump('slow', 3, at('/drip'), 'http', 1500),
    dump('slow', 1, at('/drip'), 'vendor_dom', 2500),
    dump('slow', 2, at('/no-answer'), 'http', 1000),
    dump('hostile', 2, at('/bomb-gzip'), 'http'),
    dump('hostile', 2, at('/bomb-br'), 'http'),
    dump('hostile', 2, at('/redirect-loop'), 'http'),
    dump('hostile', 2, at('/not-gzip'), 'http'),
    dump('hostile', 2, at('/too-short'), 'http'),
    dump('hostile', 2, at('/reset'), 'http'),
    dump('hostile', 2, at('/not-http'), 'http'),
    dump('hostile', 1, at('/large'), 'http'),
    dump('hostile', 1, at('/endless-script'), 'vendor_dom', 3000),
    dump('hostile', 1, at('/popup-storm'), 'chrome', 4000),
    dump('hostile', 1, at('/reload-loop'), 'vendor_dom', 3000),
    dump('hostile', 0.3, at('/memory-hog?load=never'), 'vendor_dom', 3000),
    dump('dead', 3, `http://127.0.0.1:${DEAD_PORT}/`, 'http'),
    dump('dead', 2, 'http://no-such-host.invalid/', 'http', 3000),
    dump('dead', 2, `${site.httpsOrigin}/static`, 'http'),
    extract('dead', 2, at('/500')),
    extract('dead', 2, at('/block')),
    extract('refused', 2, 'http://169.254.169.254/latest/meta-data/'),
    dump('refused', 2, at('/redirect-to?to=http%3A%2F%2F10.0.0.1%2F'), 'http'),
    extract('refused', 2, 'file:///etc/passwd'),
    { ...dump('impatient', 3, at('/drip'), 'http', 10_000), patienceMs: 200 },
    { ...dump('impatient', 1, at('/many'), 'vendor_dom', 10_000), patienceMs: 500 },
    // The page takes far longer than this timeout, which ends the process that extracts it. The formats force a new
    // extraction: without them, the one that judged the capture is reused.
    {
      kind: 'worker-kill',
      weight: 2,
      path: '/v1/extract',
      body: {
        extract: { url: at('/long'), formats: ['markdown', 'html'] },
        workflow: { extract_timeout_ms: 40 },
      },
    },
  ];
}

/** Draws a random case by weight. */
export function drawCase(cases: readonly Case[], random: () => number): Case {
  let left = random() * cases.reduce((sum, { weight }) => sum + weight, 0);
  const found = cases.find(({ weight }) => (left -= weight) < 0) ?? cases[0];
  if (found === undefined) throw new Error('there are no cases');
  return found;
}
