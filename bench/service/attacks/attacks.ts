/** The attacks: requests of a stranger, a member or a key, one at a time. */
import { randomUUID } from 'node:crypto';
import { MAX_BATCH_ITEMS } from '@winnow/contract';
import type { AttackAnswer, Attackers, Send } from './attack-client.ts';
import type { LargeDeployment } from './large-deployment.ts';

export interface Attack {
  readonly name: string;
  /** Sends one request and its clean-up; throws when the status shows that the attack did not happen. */
  readonly once: () => Promise<void>;
  /** Sends many requests at once: the ratio is printed but has no goal. */
  readonly isFlood?: boolean;
  /** Possible only once per round. */
  readonly isScarce?: boolean;
}

export interface Target {
  readonly attackers: Attackers;
  readonly projectId: string;
  /** Base URL of the attack pages. */
  readonly site: string;
  readonly filled: LargeDeployment;
}

const MIB = 1024 * 1024;
const LARGEST_BODY_BYTES = 32 * MIB;
const STRANGERS = 120;
const PLAYGROUND_CALLERS = 20;

export function listAttacks(target: Target): Attack[] {
  return [...listSignIns(target), ...listBodies(target), ...listPages(target), ...listMemberRequests(target)];
}

function listSignIns({ attackers }: Target): Attack[] {
  const signIn = async (): Promise<void> => {
    const body = { email: `${randomUUID()}@example.com`, password: 'not the right one' };
    expect(await attackers.stranger('/admin/v1/session', { body }), [401, 429]);
  };
  const misframed = 'POST /v1/extract HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n';
  return [
    { name: 'one sign-in', once: signIn },
    {
      name: `${STRANGERS} sign-ins at once`,
      isFlood: true,
      once: async () => void (await Promise.all(Array.from({ length: STRANGERS }, signIn))),
    },
    { name: 'refused framing', once: () => attackers.sendRaw(misframed + misframed.repeat(5)) },
  ];
}

function listBodies({ attackers }: Target): Attack[] {
  const { key } = attackers;
  const refused = (name: string, body: Buffer): Attack => ({
    name,
    once: async () => expect(await key('/v1/batches', { body }), [400, 413, 503]),
  });
  const url = (index: number): string => `https://example.com/page/${index}`;
  const urls = Array.from({ length: MAX_BATCH_ITEMS }, (_item, index) => url(index));
  const batch = Buffer.from(JSON.stringify({ urls }));
  const longUrls = urls.map((text) => `${text}?${'x'.repeat(270)}`);
  const lines = Buffer.from(urls.map((text) => JSON.stringify({ url: text })).join('\n'));
  const keys = Array.from({ length: 2_000_000 }, (_item, index) => `"k${index}":1`).join(',');
  return [
    refused('32 MiB of [', Buffer.alloc(LARGEST_BODY_BYTES, '[')),
    refused('2 million fields', Buffer.from(`{${keys}}`)),
    refused('a 32 MiB string', Buffer.from(`{"urls":["${'x'.repeat(LARGEST_BODY_BYTES - 100)}"]}`)),
    refused('240,000 values', Buffer.from(`{"urls":[${Array.from({ length: 240_000 }, () => '[]').join(',')}]}`)),
    {
      name: 'a batch of 100,000 URLs, and its deletion',
      once: () => createAndDelete(key, batch, 'application/json'),
    },
    {
      name: 'a batch of 100,000 long URLs, and its deletion',
      once: () => createAndDelete(key, Buffer.from(JSON.stringify({ urls: longUrls })), 'application/json'),
    },
    {
      name: 'a batch of 100,000 lines, and its deletion',
      once: () => createAndDelete(key, lines, 'application/x-ndjson'),
    },
  ];
}

async function createAndDelete(key: Send, body: Buffer, type: string): Promise<void> {
  const answer = await key('/v1/batches', { body, headers: { 'Content-Type': type } });
  expect(answer, [200]);
  const { batch } = JSON.parse(answer.text) as { batch: { id: string } };
  expect(await key(`/v1/batches/${batch.id}`, { method: 'DELETE' }), [200]);
}

function listPages({ attackers, site }: Target): Attack[] {
  const { key } = attackers;
  const headers = { 'Accept-Encoding': 'gzip' };
  const extract = (name: string, page: string, wants: object = {}): Attack => ({
    name,
    once: async () => {
      const url = `${site}${page}?${randomUUID()}`;
      expect(await key('/v1/extract', { headers, body: { extract: { url, ...wants } } }), [200, 422, 502, 504]);
    },
  });
  const dump = (name: string, page: string): Attack => ({
    name,
    once: async () => {
      const body = { url: `${site}${page}?${randomUUID()}`, options: { engine_preference: 'http' } };
      expect(await key('/v1/dom/dump', { headers, body }), [200, 502, 504]);
    },
  });
  const formats = { formats: ['markdown', 'html'] };
  return [
    extract('a byline that backtracks', '/names'),
    extract('1 MB of bylines', '/many-names'),
    extract('10 MB of scripts, by auto', '/shell-scripts'),
    extract('10 MB of paragraphs without text, by auto', '/shell-paragraphs'),
    dump('a refusal of 10 MB of tags', '/refused-svg'),
    dump('a refusal of 10 MB of spaces', '/refused-spaces'),
    dump('10 MB of XHTML', '/xhtml'),
    dump('10 MB in gb18030', '/gb18030'),
    dump('a dump of 10 MB', '/text'),
    extract('an answer of 10 MB in three formats', '/text', formats),
    extract('100,000 links and images in three formats', '/links', formats),
    {
      name: 'an answer of 10 MB with its HTML',
      once: async () => {
        const extracted = { url: `${site}/text?${randomUUID()}`, ...formats };
        const body = { extract: extracted, trace: { include_raw_dom: true } };
        expect(await key('/v1/extract', { headers, body }), [200]);
      },
    },
  ];
}

function listMemberRequests({ attackers, projectId, site, filled }: Target): Attack[] {
  const { member, key } = attackers;
  const project = `/admin/v1/projects/${projectId}`;
  const get = (name: string, path: string): Attack => ({
    name,
    once: async () => expect(await member(path), [200]),
  });
  const batches = [...filled.batches];
  const [kept] = batches;
  const play = async (): Promise<void> => {
    const body = { extract: { url: `${site}/ordinary?${randomUUID()}` } };
    expect(await member(`${project}/extract`, { body }), [200, 429, 503]);
  };
  return [
    get('a search of 20,000 snapshots', `${project}/snapshots?limit=200&url=${'a'.repeat(499)}b`),
    get('a search that finds all', `${project}/snapshots?limit=200&url=a`),
    get('200 snapshots', `${project}/snapshots?limit=200`),
    get('200 of 100,000 requests', `${project}/requests?limit=200`),
    get('a search of 100,000 requests', `${project}/requests?limit=200&host=absent.example`),
    get('100 of 2,000 batches', `${project}/batches?limit=100`),
    get('a search of 2,000 batches', `${project}/batches?limit=100&state=running`),
    get('100 of 100,000 results', `${project}/batches/${kept ?? ''}/items?limit=100`),
    get('a search of 100,000 results', `${project}/batches/${kept ?? ''}/items?limit=100&outcome=failed`),
    get('100 results of 5 MB', `${project}/batches/${filled.largeBatch}/items?limit=100`),
    get('figures of 30 days', '/admin/v1/metrics?range=30d'),
    get('1,000 keys', `${project}/keys`),
    get('projects', '/admin/v1/projects'),
    get('templates', '/admin/v1/templates?limit=200'),
    get('the audit log', '/admin/v1/audit'),
    { name: 'one request of the playground', once: play },
    {
      name: `${PLAYGROUND_CALLERS} requests of the playground at once`,
      isFlood: true,
      once: async () => void (await Promise.all(Array.from({ length: PLAYGROUND_CALLERS }, play))),
    },
    {
      name: 'the deletion of 100,000 results',
      isScarce: true,
      once: async () => {
        const id = batches.pop();
        if (id === undefined || id === kept) throw new Error('too few batches were made');
        expect(await key(`/v1/batches/${id}`, { method: 'DELETE' }), [200]);
      },
    },
  ];
}

function expect({ status, text }: AttackAnswer, expected: readonly number[]): void {
  if (!expected.includes(status)) throw new Error(`an attack was answered with ${status}: ${text.slice(0, 300)}`);
}
