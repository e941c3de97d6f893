import { setTimeout as sleep } from 'node:timers/promises';
import { ID_PREFIXES } from '@winnow/contract';
import { hashKey, makeKey } from './authenticate.ts';
import { newId } from '../shared/new-id.ts';
import type { KeyKind, KeyRepository, ProjectRepository } from './key-ports.ts';
import type { SettingRepository } from '../shared/ports.ts';
import type { SnapshotContent, SnapshotRepository } from '../storage/snapshot-ports.ts';
import { storeSample } from '../storage/sample-page.ts';

export interface FirstStart {
  readonly projectId: string;
  readonly secrets: Readonly<Record<KeyKind, string>>;
  /** Undefined if it could not be stored. */
  readonly sampleDomId: string | undefined;
}

/** Longest wait for another process. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 200;

/** Returns undefined if a project exists or another process creates it. */
export async function prepareFirstStart(store: {
  readonly settings: SettingRepository;
  readonly projects: ProjectRepository;
  readonly keys: KeyRepository;
  readonly snapshots: SnapshotRepository;
  readonly content: Pick<SnapshotContent, 'put'>;
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
  // Without a sample the start succeeds: the keys are shown only now.
  const sampleDomId = await storeSample(store, projectId, now).catch(() => undefined);
  return { projectId, secrets, sampleDomId };
}

/** Elects one process; the others wait for its project. */
async function isFirst({
  settings,
  projects,
}: {
  readonly settings: SettingRepository;
  readonly projects: ProjectRepository;
}): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  if ((await projects.list()).length > 0) return false;
  if (await settings.claim('claimed:first start', new Date().toISOString())) return true;
  while (performance.now() < until) {
    if ((await projects.list()).length > 0) return false;
    await sleep(PAUSE_MS);
  }
  return true;
}
