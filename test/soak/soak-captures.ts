import { readdirSync, readFileSync } from 'node:fs';
import { createTestFetcher } from '../../packages/server/src/composition/testing/test-fetcher.ts';
import type { EngineFetcher } from '../../packages/server/src/engines/create-fetcher.ts';
import type { EngineName } from '../../packages/contract/src/index.ts';
import { startTestSite } from '../site/start-test-site.ts';
import type { TestSite } from '../site/start-test-site.ts';

export interface SoakOptions {
  /** Total captures, including hostile ones. */
  readonly captures: number;
  /** Every n-th capture is hostile. */
  readonly hostileEvery: number;
  /** At every n-th capture a browser is killed; 0: never. */
  readonly killEvery: number;
}

export interface SoakReport {
  readonly captures: number;
  readonly hostile: number;
  readonly kills: number;
  /** Good pages whose capture failed or missed the content, with causes. Must be empty. */
  readonly failures: readonly string[];
  /** Resident memory of this process in MiB after the first tenth, and at the end with all browsers closed. */
  readonly memoryBefore: number;
  readonly memoryAfter: number;
  /** Browsers started over the whole run. */
  readonly browsers: number;
  /** Browser processes left at the end. Must be 0. */
  readonly processesLeft: number;
  readonly seconds: number;
}

const GOOD: readonly (readonly [EngineName, string, string])[] = [
  ['http', '/static', 'ordinary page'],
  ['chrome', '/many', 'ordinary page'],
  ['vendor_lite', '/client', '<h1>Rendered</h1>'],
  ['vendor_dom', '/client', '<h1>Rendered</h1>'],
  ['vendor_dcl', '/static', 'ordinary page'],
  ['chrome_cdp', '/static', 'ordinary page'],
  ['stable', '/lazy', 'section 11'],
];
const HOSTILE = [
  '/memory-hog?load=never',
  '/endless-script',
  '/endless-script-later',
  '/popup-storm',
  '/reload-loop',
  '/drip',
  '/large',
];
const MIB = 1_048_576;
/** Concurrent captures. */
const CALLERS = 3;

/** Captures good and hostile pages concurrently, kills browsers meanwhile, and reports failures. */
export async function soakCaptures(options: SoakOptions): Promise<SoakReport> {
  const start = Date.now();
  const site = await startTestSite();
  const fetcher = createTestFetcher({
    egress: { allow: site.allow, deny: [] },
    browserConcurrency: CALLERS,
    maxRendererBytes: 400 * MIB,
    maxPageBytes: 2 * MIB,
  });
  const run = new SoakRun(options, site, fetcher);
  try {
    await Promise.all(Array.from({ length: CALLERS }, () => run.work()));
  } finally {
    await fetcher.close();
    await site.close();
  }
  globalThis.gc?.();
  return {
    ...run.report(),
    memoryAfter: residentMiB(),
    processesLeft: browserPids().length,
    seconds: (Date.now() - start) / 1000,
  };
}

class SoakRun {
  readonly #options: SoakOptions;
  readonly #site: TestSite;
  readonly #fetcher: EngineFetcher;
  readonly #failures: string[] = [];
  #next = 0;
  #hostile = 0;
  #kills = 0;
  #memoryBefore = 0;

  constructor(options: SoakOptions, site: TestSite, fetcher: EngineFetcher) {
    this.#options = options;
    this.#site = site;
    this.#fetcher = fetcher;
  }

  async work(): Promise<void> {
    const { captures, hostileEvery, killEvery } = this.#options;
    while (this.#next < captures) {
      const index = this.#next++;
      if (index === Math.ceil(captures / 10)) this.#memoryBefore = residentMiB();
      if (killEvery > 0 && index % killEvery === killEvery - 1) this.#killBrowser();
      if (index % hostileEvery === hostileEvery - 1) await this.#captureHostile();
      else await this.#captureGood(index);
    }
  }

  report(): Omit<SoakReport, 'memoryAfter' | 'processesLeft' | 'seconds'> {
    const { local, cdp } = this.#fetcher.stats();
    return {
      captures: this.#options.captures,
      hostile: this.#hostile,
      kills: this.#kills,
      failures: this.#failures,
      memoryBefore: this.#memoryBefore,
      browsers: local.started + cdp.started,
    };
  }

  async #captureHostile(): Promise<void> {
    const path = HOSTILE[this.#hostile++ % HOSTILE.length] ?? '';
    // Success and error are both fine: only the effect on other captures matters.
    await this.#capture('vendor_dom', path, 4000).catch(() => {});
  }

  async #captureGood(index: number): Promise<void> {
    const [engine, path, content] = GOOD[index % GOOD.length] ?? ['http', '/static', ''];
    try {
      const html = await this.#capture(engine, path, 60_000);
      if (!html.includes(content)) this.#failures.push(`${engine} ${path}: content missing`);
    } catch (error) {
      this.#failures.push(`${engine} ${path}: ${String(error)}`);
    }
  }

  async #capture(engine: EngineName, path: string, timeoutMs: number): Promise<string> {
    const request = { url: new URL(this.#site.origin + path), timeoutMs, signal: new AbortController().signal };
    return (await this.#fetcher.capture(engine, request)).html;
  }

  #killBrowser(): void {
    const [pid] = browserPids();
    if (pid === undefined) return;
    this.#kills += 1;
    process.kill(pid, 'SIGKILL');
  }
}

/** Lists the main processes of the browsers that this process started. */
function browserPids(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const commandLine = read(`/proc/${pid}/cmdline`);
      const isOwn = commandLine.includes('winnow-chromium-') && commandLine.includes(`-${process.pid}-`);
      return isOwn && !commandLine.includes('--type=') && !/\) Z /.test(read(`/proc/${pid}/stat`));
    });
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function residentMiB(): number {
  return Math.round(process.memoryUsage.rss() / MIB);
}
