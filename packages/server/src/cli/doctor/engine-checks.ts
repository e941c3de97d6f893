import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ENGINE_PREFERENCES, publicEngineName, type EnginePreference } from '@winnow/contract';
import { startsBrowsers, withOnlyOwnPage, type Config } from '../../config/config.ts';
import { SAMPLE_MARK, SAMPLE_PAGE, SAMPLE_SCRIPTED_MARK } from '../../domain/storage/sample-page.ts';
import { isSandboxFailure } from '../../engines/chromium/browsers/launch-browser.ts';
import { listWorkingEngines } from '../../engines/create-fetcher.ts';
import { openLocalEngines, type LocalEngines } from '../support/open-local-engines.ts';
import type { Check } from '../../composition/self-test/check.ts';

const TIMEOUT_MS = 30_000;

/** Creates one check per engine: a real capture of a local page. */
export async function openEngineTrial(
  config: Config,
  signal: AbortSignal,
): Promise<{ readonly checks: readonly Check[]; close(): Promise<void> }> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(SAMPLE_PAGE);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const target = `127.0.0.1:${port}`;
  // The deployment's egress rules and proxy do not apply to our own page.
  const engines = openLocalEngines(withOnlyOwnPage(config, target), signal);
  return {
    checks: listPreferences(config).map((preference) =>
      createEngineCheck({ config, engines, signal }, preference, `http://${target}/`),
    ),
    close: async () => {
      await engines.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function listPreferences(config: Config): readonly EnginePreference[] {
  const working = listWorkingEngines({ ...config, startsBrowsers: startsBrowsers(config) });
  return ENGINE_PREFERENCES.filter((preference) => preference === 'auto' || working.includes(preference));
}

interface Trial {
  readonly config: Config;
  readonly engines: LocalEngines;
  readonly signal: AbortSignal;
}

function createEngineCheck({ config, engines, signal }: Trial, preference: EnginePreference, url: string): Check {
  return {
    name: `engine ${publicEngineName(preference, config.engineFamily)}`,
    timeoutMs: TIMEOUT_MS + 5000,
    advice: (error) => (isSandboxFailure(error) ? SANDBOX_ADVICE : advise(config, preference)),
    run: async () => {
      const started = performance.now();
      const { html, engine } = await engines.capture(url, { engine_preference: preference }, TIMEOUT_MS);
      if (!html.includes(SAMPLE_MARK)) throw new Error('the captured document differs from the served document');
      if (engine !== 'http' && !html.includes(SAMPLE_SCRIPTED_MARK))
        throw new Error('the page was captured without its script');
      const budget = { timeoutMs: TIMEOUT_MS, signal };
      const input = { html, url, contentLanguage: null, formats: [] };
      const { title, mainText } = await engines.worker.extract(input, budget);
      if (title !== SAMPLE_MARK || !mainText.includes('harbour'))
        throw new Error('the extraction of the page is wrong');
      return `captured and extracted a page in ${Math.round(performance.now() - started)} ms`;
    },
  };
}

export const SANDBOX_ADVICE =
  'allow user namespaces: in a container by a seccomp profile, on Ubuntu by an AppArmor profile (docs/operations.md); WINNOW_CHROMIUM_SANDBOX=off runs pages of strangers without a sandbox';

function advise(config: Config, preference: EnginePreference): string {
  if (preference === 'http' || preference === 'auto')
    return 'something prevents this process from reaching its own loopback address';
  if (config.cdpUrls.length > 0 && (preference === 'chrome_cdp' || config.cdpForAll))
    return 'check WINNOW_CDP_URLS, and that the browsers there can reach this machine';
  return 'install Chromium (Debian: apt install chromium-headless-shell), or set WINNOW_CHROMIUM to its executable';
}
