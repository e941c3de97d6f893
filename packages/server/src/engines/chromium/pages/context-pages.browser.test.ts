import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BROWSER_CANDIDATES } from '../browsers/browser-flags.ts';
import { forgetContext } from './context-pages.ts';
import { DevtoolsError } from '../devtools/devtools-connection.ts';
import { launchBrowser } from '../browsers/launch-browser.ts';

void test('forgetting a browser context fails its pending commands', async () => {
  const browser = await launchBrowser({
    executables: BROWSER_CANDIDATES,
    userAgent: 'test',
    acceptLanguage: 'en',
    extraArgs: [],
    withPort: false,
  });
  const { connection } = browser;
  try {
    const [context, other] = await Promise.all([1, 2].map(() => connection.send('Target.createBrowserContext')));
    assert.ok(context && other);
    const refuseAll = ({ browserContextId }: { browserContextId: string }): Promise<unknown> =>
      connection.send('Browser.grantPermissions', { permissions: [], browserContextId });
    const [forgotten, kept] = [refuseAll(context), refuseAll(other)];
    forgetContext(connection, context.browserContextId);
    const disposal = connection.send('Target.disposeBrowserContext', { ...context });
    // Chromium does not answer for a closed context, and answers in order.
    await assert.rejects(Promise.race([forgotten, connection.send('Browser.getVersion')]), DevtoolsError);
    await Promise.all([kept, disposal]);
  } finally {
    await browser.close();
  }
});
