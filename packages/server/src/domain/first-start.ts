import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ID_PREFIXES } from '@winnow/contract';
import { hashKey } from './authenticate.ts';
import { newId } from './new-id.ts';
import type {
  ApiKey,
  KeyKind,
  KeyRepository,
  ProjectRepository,
  SettingRepository,
  SnapshotContent,
  SnapshotRepository,
} from './ports.ts';
import { storeSample } from './sample-page.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_LENGTH = 32;
/** Characters of a key that stay visible: `wk_` and six more. */
const PREFIX_LENGTH = 9;

export interface NewKey {
  readonly key: ApiKey;
  /** The key's text; only its hash is stored. */
  readonly secret: string;
}

/** Makes a key; it exists once `KeyRepository.insert(key, hashKey(secret))` was done. */
export function makeKey(
  fields: Pick<ApiKey, 'projectId' | 'name' | 'kind'> & Partial<Pick<ApiKey, 'expiresAt' | 'quotaPerMinute'>>,
  now: Date = new Date(),
): NewKey {
  const secret = `wk_${Array.from({ length: SECRET_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')}`;
  const key: ApiKey = {
    id: newId(ID_PREFIXES.key),
    expiresAt: null,
    quotaPerMinute: null,
    ...fields,
    prefix: secret.slice(0, PREFIX_LENGTH),
    createdAt: now,
    revokedAt: null,
    lastUsedAt: null,
  };
  return { key, secret };
}

export interface FirstStart {
  readonly projectId: string;
  /** A key of each kind, to be shown once. */
  readonly secrets: Readonly<Record<KeyKind, string>>;
  /** A snapshot of the sample page, for a first try without internet; undefined when it could not be stored. */
  readonly sampleDomId: string | undefined;
}

/** A process that died over the first start is waited for no longer, in milliseconds. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 200;

/**
 * On an empty store, creates a project and a key of each kind; undefined when there is a project already, or another
 * process that starts at the same time is at it.
 */
export async function prepareFirstStart(store: {
  readonly settings: SettingRepository;
  readonly projects: ProjectRepository;
  readonly keys: KeyRepository;
  readonly snapshots: SnapshotRepository;
  readonly content: SnapshotContent;
}): Promise<FirstStart | undefined> {
  if (!(await isFirst(store))) return undefined;
  const now = new Date();
  const projectId = newId(ID_PREFIXES.project);
  await store.projects.insert({ id: projectId, name: 'default', createdAt: now, archivedAt: null });
  const create = async (kind: KeyKind): Promise<string> => {
    const { key, secret } = makeKey({ projectId, name: 'first start', kind }, now);
    await store.keys.insert(key, hashKey(secret));
    return secret;
  };
  const secrets = { project: await create('project'), key_only: await create('key_only') };
  // The keys are shown this once: nothing that is merely pleasant may come in between.
  const sampleDomId = await storeSample(store, projectId, now).catch(() => undefined);
  return { projectId, secrets, sampleDomId };
}

/** Of several processes that find the store empty, one is the first; the others wait for what it makes. */
async function isFirst({
  settings,
  projects,
}: {
  readonly settings: SettingRepository;
  readonly projects: ProjectRepository;
}): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  if ((await projects.list()).length > 0) return false;
  if (await settings.claim('first start')) return true;
  while (performance.now() < until) {
    if ((await projects.list()).length > 0) return false;
    await sleep(PAUSE_MS);
  }
  return true;
}
