import { checkTemplate, readTemplate, type TemplateDocument, type TemplateState } from '@winnow/contract';
import type { TemplateFault } from '@winnow/extract/templates';
import { recordAudit, type Actor } from '../accounts/audit.ts';
import type { AccountDeps } from '../accounts/ports.ts';
import { AppError } from '../shared/errors.ts';
import { newId } from '../shared/new-id.ts';
import { findDomain } from './site-address.ts';
import {
  NEW_HEALTH,
  type StoredTemplate,
  type TemplateRepository,
  nameVersion,
  readTemplateName,
} from './template-ports.ts';

/** To get an unused version number. */
const MAX_TRIES = 5;

export interface ManageTemplatesDeps extends Pick<AccountDeps, 'audit' | 'now'> {
  readonly templates: TemplateRepository;
}

/**
 * Finds a version; an id alone means the active version, else the newest.
 * @throws {AppError} `not_found`
 */
export async function requireTemplate(templates: TemplateRepository, name: string): Promise<StoredTemplate> {
  const parsed = readTemplateName(name);
  if (parsed !== undefined) {
    const { id, version } = parsed;
    const versions = version === undefined ? await templates.listVersions(id) : [await templates.find(id, version)];
    const found = versions.find((one) => one?.state === 'active') ?? versions[0];
    if (found !== undefined) return found;
  }
  throw new AppError('not_found', `there is no template ${name.slice(0, 100)}`);
}

export function exportTemplate(stored: StoredTemplate): TemplateDocument {
  const { id, version, state, document } = stored;
  return { ...document, format: 1, id, version, state };
}

/**
 * Stores a candidate, which serves no requests until it is activated.
 * @throws {AppError} `invalid_request`, naming the JSON path
 */
export async function importTemplate(
  deps: ManageTemplatesDeps,
  actor: Actor,
  source: string | object,
): Promise<StoredTemplate> {
  return storeCandidate(deps, actor, await checkDocument(source), 'by hand: imported; waits to be activated');
}

/**
 * Validates a document with its selectors and patterns.
 * @throws {AppError} `invalid_request`, naming the JSON path
 */
export async function checkDocument(source: string | object): Promise<TemplateDocument> {
  const reading = typeof source === 'string' ? readTemplate(source) : checkTemplate(source);
  if (!reading.ok) throw new AppError('invalid_request', reading.message);
  const fault = await findFault(reading.template);
  if (fault !== undefined) throw new AppError('invalid_request', fault.message);
  return reading.template;
}

export async function findFault(document: TemplateDocument): Promise<TemplateFault | undefined> {
  // Lazy: the main thread needs it only here.
  const { compileTemplate, TemplateFault } = await import('@winnow/extract/templates');
  try {
    compileTemplate(document);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateFault) return error;
    throw error;
  }
}

/**
 * @param projectId of a new template; null: every project. Versions keep their project.
 * @throws {AppError} `conflict` after too many concurrent changes
 */
export async function storeCandidate(
  deps: ManageTemplatesDeps,
  actor: Actor,
  given: TemplateDocument,
  note: string,
  projectId: string | null = null,
): Promise<StoredTemplate> {
  const { templates } = deps;
  const { id = newId('tpl'), version: _version, state: _state, ...rules } = given;
  // Earlier versions learned templates: importing one makes it the person's.
  const source = rules.provenance.source === 'ftr' ? 'ftr' : 'hand';
  const document = { ...rules, provenance: { ...rules.provenance, source } } as const;
  const now = new Date();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const versions = await templates.listVersions(id);
    const version = Math.max(0, ...versions.map((one) => one.version)) + 1;
    const stored: StoredTemplate = {
      id,
      version,
      state: 'candidate',
      projectId: versions.length > 0 ? (versions[0]?.projectId ?? null) : projectId,
      domain: findDomain(document.hosts[0] ?? ''),
      document,
      note,
      health: NEW_HEALTH,
      createdAt: now,
      changedAt: now,
    };
    if (!(await templates.insert(stored))) continue;
    await noteChange(deps, actor, 'template.import', stored, { source: document.provenance.source });
    return stored;
  }
  throw new AppError('conflict', `another request is changing template ${id}`, { retryable: true });
}

/** @throws {AppError} `not_found`, `conflict` */
export async function activateTemplate(
  deps: ManageTemplatesDeps,
  actor: Actor,
  name: string,
  note = 'by hand: activated',
): Promise<StoredTemplate> {
  const stored = await requireTemplate(deps.templates, name);
  if (!(await deps.templates.activate(stored, ['candidate', 'retired'], note))) throw toConflict(stored, 'active');
  return noteChange(deps, actor, 'template.activate', stored, { from: stored.state });
}

/** @throws {AppError} `not_found`, `conflict` */
export async function retireTemplate(deps: ManageTemplatesDeps, actor: Actor, name: string): Promise<StoredTemplate> {
  const stored = await requireTemplate(deps.templates, name);
  if (!(await deps.templates.setState(stored, ['candidate', 'active'], 'retired', 'by hand: retired')))
    throw toConflict(stored, 'retired');
  return noteChange(deps, actor, 'template.retire', stored, { from: stored.state });
}

/**
 * Activates the version before the active one, or else before the named one.
 * @throws {AppError} `not_found`, `conflict`
 */
export async function rollBackTemplate(deps: ManageTemplatesDeps, actor: Actor, name: string): Promise<StoredTemplate> {
  const { templates } = deps;
  const named = await requireTemplate(templates, name);
  const versions = await templates.listVersions(named.id);
  const current = versions.find((one) => one.state === 'active') ?? named;
  const previous = versions.find((one) => one.version < current.version);
  if (previous === undefined) {
    throw new AppError('conflict', `${nameVersion(current)} has no earlier version`);
  }
  const note = `by hand: rolled back from version ${current.version}`;
  const othersNote = `by hand: rolled back to version ${previous.version}`;
  if (!(await templates.activate(previous, ['candidate', 'retired'], note, othersNote)))
    throw toConflict(previous, 'active');
  return noteChange(deps, actor, 'template.rollback', previous, { from: nameVersion(current) });
}

function toConflict(stored: StoredTemplate, to: TemplateState): AppError {
  const name = nameVersion(stored);
  const message =
    stored.state === to ? `${name} is already ${to}` : `${name} is ${stored.state} and cannot become ${to}`;
  return new AppError('conflict', message);
}

/** Returns the version as it is now. */
async function noteChange(
  deps: ManageTemplatesDeps,
  actor: Actor,
  action: string,
  stored: StoredTemplate,
  detail: Readonly<Record<string, string>>,
): Promise<StoredTemplate> {
  const target = nameVersion(stored);
  await recordAudit(deps, actor, { action, target, detail: { hosts: stored.document.hosts, ...detail } });
  return requireTemplate(deps.templates, target);
}
