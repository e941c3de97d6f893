/** What people do with templates: list, show, import, activate, retire, roll back, test. */
import { checkTemplate, readTemplate, type TemplateDocument, type TemplateState } from '@winnow/contract';
import type { TemplateFault } from '@winnow/extract/templates';
import { recordAudit } from '../accounts/audit.ts';
import type { Actor } from '../accounts/audit.ts';
import type { AccountDeps } from '../accounts/ports.ts';
import { AppError } from '../errors.ts';
import { newId } from '../new-id.ts';
import type { StageBudget } from '../ports.ts';
import { BY_HAND, toInput } from './learn-site.ts';
import { readFtrConfig } from './read-ftr-config.ts';
import { findDomain } from './site-address.ts';
import { nameVersion, toLive } from './template-cache.ts';
import {
  type LearningPage,
  NEW_HEALTH,
  type StoredTemplate,
  type TemplateRepository,
  type TemplateWorker,
} from './template-ports.ts';

/** What changes by hand need; each of them stands in the audit log. */
export interface ManageTemplatesDeps extends Pick<AccountDeps, 'audit' | 'now'> {
  readonly templates: TemplateRepository;
}

/**
 * Finds a version by its name, `tpl_…:v3`; an id alone means the active version, or else the newest.
 * @throws {AppError} `not_found`
 */
export async function requireTemplate(templates: TemplateRepository, name: string): Promise<StoredTemplate> {
  const match = /^(tpl_[0-9A-Z]{26})(?::v(\d{1,9}))?$/.exec(name);
  if (match !== null) {
    const [, id = '', version] = match;
    const versions =
      version === undefined ? await templates.listVersions(id) : [await templates.find(id, Number(version))];
    const found = versions.find((one) => one?.state === 'active') ?? versions[0];
    if (found !== undefined) return found;
  }
  throw new AppError('not_found', `there is no template ${name.slice(0, 100)}`, { stage: 'request' });
}

/** The document with what the service keeps beside it: what `export` writes and `import` reads. */
export function exportTemplate(stored: StoredTemplate): TemplateDocument {
  const { id, version, state, document } = stored;
  return { ...document, format: 1, id, version, state };
}

/**
 * Checks a template and stores it as a candidate: a new template, or the next version of the one whose id it
 * carries. It becomes active on the first page on which it proves itself, or by hand.
 * @throws {AppError} `invalid_request`, naming the JSON path of the fault
 */
export async function importTemplate(
  deps: ManageTemplatesDeps,
  actor: Actor,
  source: string | object,
): Promise<StoredTemplate> {
  const note = `${BY_HAND}: imported; waits for a page on which it proves itself`;
  return storeCandidate(deps, actor, await checkDocument(source), note);
}

/**
 * Checks a template as a whole, selectors and patterns included.
 * @throws {AppError} `invalid_request`, naming the JSON path of the fault
 */
export async function checkDocument(source: string | object): Promise<TemplateDocument> {
  const reading = typeof source === 'string' ? readTemplate(source) : checkTemplate(source);
  if (!reading.ok) throw new AppError('invalid_request', reading.message);
  const fault = await findFault(reading.template);
  if (fault !== undefined) throw new AppError('invalid_request', fault.message);
  return reading.template;
}

async function findFault(document: TemplateDocument): Promise<TemplateFault | undefined> {
  // Loaded only here: nothing else in the service's main thread needs the selectors and the extractor behind them.
  const { compileTemplate, TemplateFault } = await import('@winnow/extract/templates');
  try {
    compileTemplate(document);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateFault) return error;
    throw error;
  }
}

async function storeCandidate(
  deps: ManageTemplatesDeps,
  actor: Actor,
  given: TemplateDocument,
  note: string,
): Promise<StoredTemplate> {
  const { templates } = deps;
  const { id = newId('tpl'), version: _version, state: _state, ...document } = given;
  const now = new Date();
  // Two imports at once: the later one takes the number after.
  for (let tries = 0; tries < 5; tries++) {
    const versions = await templates.listVersions(id);
    const version = Math.max(0, ...versions.map((one) => one.version)) + 1;
    const stored: StoredTemplate = {
      id,
      version,
      state: 'candidate',
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
  throw new AppError('conflict', `template ${id} is being changed by others`, { stage: 'request' });
}

/** @throws {AppError} `not_found`, or `conflict` when it is active already */
export async function activateTemplate(deps: ManageTemplatesDeps, actor: Actor, name: string): Promise<StoredTemplate> {
  const { templates } = deps;
  const stored = await requireTemplate(templates, name);
  if (!(await templates.activate(stored, ['candidate', 'suspect', 'retired'], `${BY_HAND}: activated`)))
    throw toConflict(stored, 'active');
  await noteChange(deps, actor, 'template.activate', stored, { from: stored.state });
  return requireTemplate(templates, nameVersion(stored));
}

/** @throws {AppError} `not_found`, or `conflict` when it is retired already */
export async function retireTemplate(deps: ManageTemplatesDeps, actor: Actor, name: string): Promise<StoredTemplate> {
  const { templates } = deps;
  const stored = await requireTemplate(templates, name);
  if (!(await templates.setState(stored, ['candidate', 'active', 'suspect'], 'retired', `${BY_HAND}: retired`)))
    throw toConflict(stored, 'retired');
  await noteChange(deps, actor, 'template.retire', stored, { from: stored.state });
  return requireTemplate(templates, nameVersion(stored));
}

/**
 * Puts the version before the active one back into service; where none is active, the one before the named one.
 * @throws {AppError} `not_found`, or `conflict` when there is none before it
 */
export async function rollBackTemplate(deps: ManageTemplatesDeps, actor: Actor, name: string): Promise<StoredTemplate> {
  const { templates } = deps;
  const named = await requireTemplate(templates, name);
  const versions = await templates.listVersions(named.id);
  const current = versions.find((one) => one.state === 'active') ?? named;
  const previous = versions.find((one) => one.version < current.version);
  if (previous === undefined) {
    throw new AppError('conflict', `${nameVersion(current)} has no version before it`, { stage: 'request' });
  }
  const note = `${BY_HAND}: rolled back from version ${current.version}`;
  const othersNote = `${BY_HAND}: rolled back to version ${previous.version}`;
  if (!(await templates.activate(previous, ['candidate', 'suspect', 'retired'], note, othersNote)))
    throw toConflict(previous, 'active');
  await noteChange(deps, actor, 'template.rollback', previous, { from: nameVersion(current) });
  return requireTemplate(templates, nameVersion(previous));
}

function toConflict(stored: StoredTemplate, to: TemplateState): AppError {
  const message = `${nameVersion(stored)} is ${stored.state}: it cannot become ${to}`;
  return new AppError('conflict', message, { stage: 'request' });
}

async function noteChange(
  deps: ManageTemplatesDeps,
  actor: Actor,
  action: string,
  stored: StoredTemplate,
  detail: Readonly<Record<string, string>>,
): Promise<void> {
  const target = nameVersion(stored);
  await recordAudit(deps, actor, { action, target, detail: { hosts: stored.document.hosts, ...detail } });
}

/* ------------------------------------------------------------------- test */

/** One page of a template's test. */
export interface PageTest {
  readonly page: string;
  readonly ok: boolean;
  readonly reason: string;
  /** Word F1 between the two main texts. */
  readonly agreement: number;
  readonly fields: readonly FieldDifference[];
  /** Texts that a check of the template asks for and that the main text does not have. */
  readonly missing: readonly string[];
}

/** A field as the template and the generic extractor read it. */
export interface FieldDifference {
  readonly field: string;
  readonly template: string | number | readonly string[] | null;
  readonly generic: string | null;
  readonly same: boolean;
  readonly selector: string | null;
}

const TESTED_FIELDS = [
  ['title', 'title'],
  ['description', 'description'],
  ['author', 'author'],
  ['publish_time', 'publishTime'],
  ['language', 'language'],
  ['main_text', 'mainText'],
] as const;

/** Tries a template on pages, field by field, beside the generic extractor. Nothing is served or changed. */
export async function testTemplate(
  worker: TemplateWorker,
  stored: Pick<StoredTemplate, 'id' | 'version' | 'document'>,
  pages: readonly (LearningPage & { readonly name: string })[],
  budget: StageBudget,
): Promise<PageTest[]> {
  const template = toLive(stored as StoredTemplate);
  const results: PageTest[] = [];
  for (const page of pages) {
    const tried = await worker.try(toInput(page), template, budget);
    const { extraction, generic, selectors, judgement } = tried;
    const fields: FieldDifference[] = TESTED_FIELDS.map(([field, name]) => ({
      field,
      template: extraction[name],
      generic: generic[name],
      same: extraction[name] === generic[name],
      selector: selectors[field] ?? null,
    }));
    for (const [name, value] of Object.entries(tried.fields ?? {})) {
      fields.push({
        field: `fields.${name}`,
        template: value,
        generic: null,
        same: false,
        selector: selectors[`fields.${name}`] ?? null,
      });
    }
    const checks = (stored.document.checks ?? []).filter((check) => check.url === page.url);
    const missing = checks
      .flatMap((check) => check.contains)
      .filter((text) => !fold(extraction.mainText).includes(fold(text)));
    const { agreement, reason } = judgement;
    results.push({ page: page.name, ok: judgement.ok && missing.length === 0, reason, agreement, fields, missing });
  }
  return results;
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase();
}

/* ------------------------------------------------------------- import-ftr */

/** What came of the import of one file. */
export interface FtrImport {
  readonly file: string;
  /** Name of the stored version; undefined when the file could not be taken. */
  readonly template: string | undefined;
  readonly faults: readonly { readonly line: number; readonly reason: string }[];
  readonly ignored: readonly { readonly line: number; readonly reason: string }[];
}

/** Imports one file of the ftr-site-config format; a file that was imported before and has not changed is left alone. */
export async function importFtrFile(
  deps: ManageTemplatesDeps,
  actor: Actor,
  file: string,
  text: string,
): Promise<FtrImport> {
  const { document, faults, ignored, lines } = readFtrConfig(file, text);
  if (document === undefined) return { file, template: undefined, faults, ignored };
  const checked = checkTemplate(document);
  if (!checked.ok) return { file, template: undefined, faults: [{ line: 0, reason: checked.message }], ignored };
  const fault = await findFault(document);
  if (fault !== undefined) {
    const line = lines.get(fault.path.replace(/\.(?:xpath|css)$/, '')) ?? 0;
    return { file, template: undefined, faults: [{ line, reason: fault.message }], ignored };
  }
  const same = (
    await deps.templates.findByHosts([document.hosts[0] ?? ''], ['candidate', 'active', 'suspect', 'retired'])
  ).find((one) => one.document.provenance.source === 'ftr' && one.document.provenance.note === file);
  if (same !== undefined && JSON.stringify(same.document) === JSON.stringify(document)) {
    return { file, template: nameVersion(same), faults: [], ignored };
  }
  const stored = await storeCandidate(
    deps,
    actor,
    same === undefined ? document : { ...document, id: same.id },
    `imported from ${file}`,
  );
  return { file, template: nameVersion(stored), faults: [], ignored };
}
