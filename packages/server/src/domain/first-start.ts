import { randomInt } from 'node:crypto';
import { ID_PREFIXES } from '@winnow/contract';
import { ulid } from 'ulid';
import { hashKey } from './authenticate.ts';
import type {
  ApiKey,
  KeyKind,
  KeyRepository,
  ProjectRepository,
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
    id: `${ID_PREFIXES.key}_${ulid()}`,
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

/** On an empty store, creates a project and a key of each kind; undefined when there is a project already. */
export async function prepareFirstStart(store: {
  readonly projects: ProjectRepository;
  readonly keys: KeyRepository;
  readonly snapshots: SnapshotRepository;
  readonly content: SnapshotContent;
}): Promise<FirstStart | undefined> {
  if ((await store.projects.list()).length > 0) return undefined;
  const now = new Date();
  const projectId = `${ID_PREFIXES.project}_${ulid()}`;
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
