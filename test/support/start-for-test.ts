import type { TestContext } from 'node:test';
import { startRunning } from './running-service.ts';
import type { Answer, Running } from './running-service.ts';

/** Starts a service that closes at the end of the test. */
export async function startForTest(t: TestContext, environment: Record<string, string> = {}): Promise<Running> {
  const running = await startRunning(environment);
  t.after(() => running.close());
  return running;
}

/** Requests an address of the service without a key. */
export function getWithoutKey(running: Running, target: string): Promise<Answer> {
  return running.call(target, undefined, { method: 'GET', as: 'none' });
}

/** Dumps one of the service's test pages without a browser. */
export function dumpTestPage(running: Running, target: string): Promise<Answer> {
  return running.call('/v1/dom/dump', { url: running.pages.url + target, options: { engine_preference: 'http' } });
}
