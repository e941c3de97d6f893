import assert from 'node:assert/strict';
import { startRunning } from '../support/running-service.ts';
import type { Body, Running } from '../support/running-service.ts';
import { serveFiles } from './serve-files.ts';
import type { FileServer } from './serve-files.ts';

export interface ServiceWithFiles {
  readonly running: Running;
  readonly files: FileServer;
  /** Dumps a page, which must succeed. */
  readonly dump: (url: string, options: object) => Promise<Body>;
  readonly close: () => Promise<void>;
}

/** Starts a service and a file server that it may fetch from. */
export async function startServiceWithFiles(
  environment: Readonly<Record<string, string>> = {},
): Promise<ServiceWithFiles> {
  const running = await startRunning(environment);
  const files = await serveFiles();
  return {
    running,
    files,
    dump: async (url, options) => {
      const { status, body } = await running.call('/v1/dom/dump', { url, options });
      assert.equal(status, 200, JSON.stringify(body));
      return body;
    },
    close: async () => {
      await running.close();
      await files.close();
    },
  };
}
