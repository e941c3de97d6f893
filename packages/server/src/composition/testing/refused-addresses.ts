import assert from 'node:assert/strict';
import type { EnginePreference } from '@winnow/contract';
import { startCanary } from '../../../../../test/site/canary.ts';
import type { Canary } from '../../../../../test/site/canary.ts';
import { startTestSite } from '../../../../../test/site/start-test-site.ts';
import type { TestSite } from '../../../../../test/site/start-test-site.ts';
import { createTestFetcher } from './test-fetcher.ts';
import type { Capture, EgressRules } from '../../domain/capture/capture-ports.ts';

export interface RefusedAddresses {
  readonly site: TestSite;
  /** Listens on addresses that the policy refuses. */
  readonly canary: Canary;
  readonly capture: (engine: EnginePreference, url: string, egress?: EgressRules) => Promise<Capture>;
  /** Returns the address of a page that tries every vector to reach the canary under these host names. */
  readonly attackUrl: (origin: string, hosts: readonly string[]) => string;
  readonly close: () => Promise<void>;
}

/**
 * With both cores busy, in one of forty captures a refused `<embed>` never finishes loading in the browser. The page then has
 * no load event and is captured at its deadline.
 */
const CAPTURE_TIMEOUT_MS = 20_000;

/** Starts engines that may capture the test site, and a canary at the addresses that they refuse. */
export async function startRefusedAddresses(): Promise<RefusedAddresses> {
  const canary = await startCanary();
  const site = await startTestSite({
    'inside.test': () => ['127.0.0.2'],
    'mixed.test': () => ['93.184.216.34', '127.0.0.1'],
    'chain.test': () => ['::ffff:127.0.0.1'],
  });
  const fetcher = createTestFetcher({
    egress: { allow: site.allow, deny: [] },
    dnsServers: [site.dns.address],
    extraCa: [site.ca],
    browserArgs: site.chromiumArgs,
    browserConcurrency: 2,
  });
  return {
    site,
    canary,
    capture: (engine, url, egress) =>
      fetcher.capture(engine, {
        url: new URL(url),
        timeoutMs: CAPTURE_TIMEOUT_MS,
        signal: new AbortController().signal,
        ...(egress ? { egress } : {}),
      }),
    attackUrl: (origin, hosts) =>
      `${origin}/attack?${hosts.map((host) => `target=${encodeURIComponent(`${host}:${canary.port}`)}`).join('&')}`,
    close: async () => {
      await fetcher.close();
      await site.close();
      await canary.close();
    },
  };
}

/** Content of `/etc/passwd`, `chrome://version` and source views. */
const INSIDE = /root:[^:\s]*:0:0:|Command Line|Executable Path|Profile Path|class="(?:line-number|html-tag)"/;

/** Fails if a page shows a file or a browser's own page. */
export function assertTellsNothing(html: string): void {
  assert.doesNotMatch(html, INSIDE);
}
