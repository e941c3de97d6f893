import { fetch, request } from 'undici';
import { BROWSER_CANDIDATES } from '../../packages/server/src/engines/chromium/browsers/browser-flags.ts';
import { launchBrowser } from '../../packages/server/src/engines/chromium/browsers/launch-browser.ts';
import { WorkerPool } from '../../packages/server/src/workers/worker-pool.ts';

export interface Contender {
  /** Fetches and processes one page. */
  run(url: string): Promise<void>;
  close(): Promise<void>;
}

/** Fetches a page by undici's `fetch`, as a developer would write the loop. */
export async function fetchHtml(url: string): Promise<string> {
  const response = await fetch(url);
  return response.text();
}

/** Fetches a page by undici's own `request`, which takes less processor time than `fetch`. */
export async function requestHtml(url: string): Promise<string> {
  const { body } = await request(url);
  return body.text();
}

/** Only undici and the extraction library on threads: no policy, no storage, no HTTP server. */
export function createBareHttp(threads: number, getHtml: (url: string) => Promise<string>): Contender {
  const pool = new WorkerPool({ workers: threads, memoryBytes: 768 * 1024 * 1024, maxQueue: 1000 });
  const { signal } = new AbortController();
  return {
    run: async (url) => {
      const input = { html: await getHtml(url), url, contentLanguage: null, formats: [] };
      await pool.run('extractPageTask', input, 'extract', { timeoutMs: 30_000, signal });
    },
    close: () => pool.close(),
  };
}

/** The minimum that captures a page after its load event, in a separate context as the engines do. */
export async function createBareBrowser(): Promise<Contender> {
  const { connection, exited } = await launchBrowser({
    executables: BROWSER_CANDIDATES,
    userAgent: 'bench',
    acceptLanguage: 'en',
    extraArgs: [],
    withPort: false,
  });
  return {
    run: async (url) => {
      const { browserContextId } = await connection.send(
        'Target.createBrowserContext',
        // The service gives each context a browser proxy; this one connects directly.
        { proxyServer: 'direct://' },
      );
      const blank = { url: 'about:blank', browserContextId };
      const { targetId } = await connection.send('Target.createTarget', blank);
      const attach = { targetId, flatten: true };
      const { sessionId } = await connection.send('Target.attachToTarget', attach);
      const page = connection.session(sessionId);
      await page.send('Page.enable');
      const loaded = Promise.withResolvers<void>();
      let hasNavigated = false;
      page.on('Page.frameNavigated', ({ frame }: { frame: { url: string } }) => (hasNavigated ||= frame.url === url));
      // The blank page's own event may come late.
      page.on('Page.loadEventFired', () => (hasNavigated ? loaded.resolve() : undefined));
      await page.send('Page.navigate', { url });
      await loaded.promise;
      const expression = 'document.documentElement.outerHTML';
      const { result } = await page.send('Runtime.evaluate', {
        expression,
        returnByValue: true,
      });
      if (!result.value.includes('harbour')) throw new Error('the page was not captured');
      page.end();
      await connection.send('Target.disposeBrowserContext', { browserContextId });
    },
    close: async () => {
      await connection.send('Browser.close').catch(() => undefined);
      await exited;
    },
  };
}
