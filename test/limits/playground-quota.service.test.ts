import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRunning } from '../support/running-service.ts';

// Checks: threat-quota
test('in the playground each person has the quota of a key', { timeout: 60_000 }, async () => {
  const running = await startRunning({ WINNOW_QUOTA_PER_MINUTE: '3' });
  try {
    const send = (path: string, body: object, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(running.url + path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      });
    const token = running.service.setupUrl?.split('#')[1];
    const account = { token, email: 'admin@example.com', password: 'a horse that staples' };
    const accepted = await send('/admin/v1/links/accept', account);
    const { csrf_token: csrf } = (await accepted.json()) as { csrf_token: string };
    const session = { Cookie: accepted.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '', 'X-CSRF-Token': csrf };
    const playground = `/admin/v1/projects/${running.projectId}`;
    const answers: Response[] = [];
    for (const route of ['extract', 'dump', 'extract', 'dump'])
      answers.push(await send(`${playground}/${route}`, {}, session));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 400, 429],
    );
    assert.match(answers.at(-1)?.headers.get('Retry-After') ?? '', /^\d+$/);
  } finally {
    await running.close();
  }
});
