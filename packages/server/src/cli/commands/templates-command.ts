import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { TEMPLATE_STATES, type TemplateState } from '@winnow/contract';
import { Argument, Command, Option } from 'commander';
import { readConfig } from '../../config/config.ts';
import { workerMemoryBytes } from '../../config/machine.ts';
import { integer } from '../../config/config-parsers.ts';
import { readRegularFile } from '../../config/regular-file.ts';
import { nameVersion, type StoredPage, type StoredTemplate } from '../../domain/templates/template-ports.ts';
import { COMMAND_LINE } from '../../domain/accounts/audit.ts';
import type { FtrImport } from '../../domain/templates/read-ftr-config.ts';
import type { ManageTemplatesDeps } from '../../domain/templates/manage-templates.ts';
import type { PageTest } from '../../domain/templates/test-template.ts';
import { presentTemplate } from '../../http/answers/present.ts';
import { closing } from '../../domain/shared/closing.ts';
import type { Store } from '../../store/open-store.ts';
import { CommandError, writeJson, writeLine, writeTable, readStdin } from '../support/cli-io.ts';
import type { CliIo, JsonFlag } from '../support/cli-io.ts';
import { withStore } from '../support/open-command-store.ts';
import { parseFlag } from '../support/flags.ts';
import { readHtmlFile } from '../support/read-html-file.ts';
import { messageOf } from '../../domain/shared/errors.ts';

interface ListFlags extends JsonFlag {
  readonly state?: TemplateState;
  readonly domain?: string;
  readonly limit: number;
}

const NAME = 'name of a version, tpl_…:v3; an id alone means the active version, or else the newest';

const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** Loaded lazily: other commands do not need the selector engines. */
const loadManagement = () => import('../../domain/templates/manage-templates.ts');

export function createTemplatesCommand(io: CliIo): Command {
  return new Command('templates')
    .summary('list, import, test and roll back site templates')
    .description('Site templates, which persons write; also while the service runs.')
    .addCommand(createList(io))
    .addCommand(createShow(io))
    .addCommand(createExport(io))
    .addCommand(createImport(io))
    .addCommand(createImportFtr(io))
    .addCommand(createTest(io))
    .addCommand(createStateCommand(io, 'activate', 'Put a version into service; the other versions are retired.'))
    .addCommand(createStateCommand(io, 'retire', 'Take a version out of service.'))
    .addCommand(createStateCommand(io, 'rollback', 'Put the version before the active one back into service.'));
}

function createList(io: CliIo): Command {
  return new Command('list')
    .description('List templates, the newest first.')
    .addOption(new Option('--state <state>', 'only templates in this state').choices(TEMPLATE_STATES))
    .option('--domain <domain>', 'only templates of this registrable domain')
    .option('--limit <count>', 'maximum number', parseFlag(integer(1, 10_000)), 100)
    .option('--json', 'print JSON')
    .action(async ({ state, domain, limit, json }: ListFlags) => {
      const filter = { limit, state, domain };
      const found = await withStore(readConfig(io.environment), (store) => store.siteTemplates.list(filter));
      if (json) return writeJson(io.stdout, found.map(presentTemplate));
      if (found.length === 0) return writeLine(io.stderr, 'there are no templates');
      const rows = found.map((one) => [
        nameVersion(one),
        one.state,
        one.projectId ?? 'shared',
        one.document.hosts[0] ?? '',
        String(one.health.served),
        String(one.health.failed),
        one.note,
      ]);
      writeTable(io.stdout, ['TEMPLATE', 'STATE', 'PROJECT', 'HOST', 'SERVED', 'FAILED', 'NOTE'], rows);
    });
}

function createShow(io: CliIo): Command {
  return new Command('show')
    .description('Show a template with its state, its health and all its versions.')
    .argument('<template>', NAME)
    .action(async (name: string) => {
      const { requireTemplate } = await loadManagement();
      await withStore(readConfig(io.environment), async ({ siteTemplates }) => {
        const stored = await requireTemplate(siteTemplates, name);
        const versions = await siteTemplates.listVersions(stored.id);
        writeJson(io.stdout, {
          ...presentTemplate(stored),
          versions: versions.map(presentTemplate),
          document: stored.document,
        });
      });
    });
}

function createExport(io: CliIo): Command {
  return new Command('export')
    .description('Print the JSON of a template, to be changed and imported again.')
    .argument('<template>', NAME)
    .option('-o, --output <file>', 'write it to a file')
    .action(async (name: string, { output }: { readonly output?: string }) => {
      const { exportTemplate, requireTemplate } = await loadManagement();
      const stored = await withStore(readConfig(io.environment), (store) => requireTemplate(store.siteTemplates, name));
      const document = exportTemplate(stored);
      if (output === undefined) writeJson(io.stdout, document);
      else await writeFile(output, `${JSON.stringify(document, undefined, 2)}\n`);
    });
}

function createImport(io: CliIo): Command {
  return new Command('import')
    .description('Check a template and store it as a candidate, which serves no requests until it is activated.')
    .argument('<file>', 'JSON file, or - for standard input')
    .option('--activate', 'put it into service at once')
    .option('--json', 'print JSON')
    .action(async (file: string, flags: JsonFlag & { readonly activate?: true }) => {
      const { activateTemplate, importTemplate } = await loadManagement();
      const text = await readInput(io, file);
      const stored = await withStore(readConfig(io.environment), async (store) => {
        const deps = toManageDeps(store);
        const candidate = await importTemplate(deps, COMMAND_LINE, text);
        return flags.activate ? activateTemplate(deps, COMMAND_LINE, nameVersion(candidate)) : candidate;
      });
      if (flags.json) writeJson(io.stdout, presentTemplate(stored));
      else writeLine(io.stdout, nameVersion(stored));
    });
}

async function readInput(io: CliIo, file: string): Promise<string> {
  const bytes = file === '-' ? await readStdin(io, MAX_DOCUMENT_BYTES) : readRegularFile(file, MAX_DOCUMENT_BYTES);
  return bytes.toString('utf8');
}

function createImportFtr(io: CliIo): Command {
  return new Command('import-ftr')
    .description(
      'Import a folder of site rules in the ftr-site-config format. Files that cannot be imported are reported.',
    )
    .argument('<folder>', 'folder of HOST.txt files')
    .option('--json', 'print JSON')
    .action(async (folder: string, flags: JsonFlag) => {
      const { importFtrFile } = await import('../../domain/templates/read-ftr-config.ts');
      const names = await listRuleFiles(folder);
      const reports = await withStore(readConfig(io.environment), async (store) => {
        const deps = toManageDeps(store);
        const done: FtrImport[] = [];
        for (const name of names) {
          const text = readRegularFile(path.join(folder, name), MAX_DOCUMENT_BYTES).toString('utf8');
          done.push(await importFtrFile(deps, COMMAND_LINE, name, text));
        }
        return done;
      });
      if (flags.json) writeJson(io.stdout, reports);
      else reportFtr(io, reports);
    });
}

async function listRuleFiles(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith('.txt'))
      .map((entry) => entry.name)
      .toSorted();
  } catch (error) {
    throw new CommandError(`${folder} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

function reportFtr(io: CliIo, reports: readonly FtrImport[]): void {
  for (const { file, faults } of reports) {
    for (const { line, reason } of faults) writeLine(io.stderr, `${file}${line === 0 ? '' : `:${line}`}: ${reason}`);
  }
  const taken = reports.filter((report) => report.template !== undefined);
  const ignored = taken.reduce((sum, report) => sum + report.ignored.length, 0);
  writeLine(
    io.stdout,
    `${taken.length} of ${reports.length} files taken; ${ignored} directives in them are not supported in templates`,
  );
}

function createTest(io: CliIo): Command {
  return new Command('test')
    .description('Compare a template with the generic extractor on pages, field by field. Nothing is changed.')
    .argument('<template>', `${NAME}; or a JSON file`)
    .addArgument(new Argument('<pages...>', 'snapshots (dom_…) or HTML files'))
    .option('--url <url>', 'address of the HTML files; default: the first host of the template')
    .option('--json', 'print JSON')
    .action(async (name: string, pages: string[], flags: JsonFlag & { readonly url?: string }) => {
      const results = await runTest(io, name, pages, flags.url);
      if (flags.json) writeJson(io.stdout, results);
      else for (const result of results) reportTest(io, result);
      if (results.some((result) => !result.ok)) throw new CommandError('the template fails on some pages');
    });
}

async function runTest(
  io: CliIo,
  name: string,
  pages: readonly string[],
  url: string | undefined,
): Promise<PageTest[]> {
  const { testTemplate } = await import('../../domain/templates/test-template.ts');
  const { WorkerPool } = await import('../../workers/worker-pool.ts');
  const { WorkerTemplates } = await import('../../workers/worker-templates.ts');
  const config = readConfig(io.environment);
  await using pool = closing(new WorkerPool({ workers: 1, memoryBytes: workerMemoryBytes(config), maxQueue: 10 }));
  return await withStore(config, async (store) => {
    const stored = await loadTemplate(io, store, name);
    const address = url ?? `https://${(stored.document.hosts[0] ?? 'example.com').replace(/^\./, '')}/`;
    const read: (StoredPage & { name: string })[] = [];
    for (const page of pages) {
      read.push(
        page.startsWith('dom_')
          ? await readSnapshot(config, store, page)
          : { name: page, url: address, html: await readHtmlFile(page, config.maxPageBytes) },
      );
    }
    const budget = { timeoutMs: config.stageTimeoutMs, signal: io.signal };
    return testTemplate(new WorkerTemplates(pool), stored, read, budget);
  });
}

async function loadTemplate(
  io: CliIo,
  store: Store,
  name: string,
): Promise<Pick<StoredTemplate, 'id' | 'version' | 'document'>> {
  const { checkDocument, requireTemplate } = await loadManagement();
  if (name.startsWith('tpl_')) return requireTemplate(store.siteTemplates, name);
  return { id: name, version: 1, document: await checkDocument(await readInput(io, name)) };
}

async function readSnapshot(
  config: ReturnType<typeof readConfig>,
  store: Store,
  domId: string,
): Promise<StoredPage & { name: string }> {
  const { openSnapshots } = await import('../../composition/open-snapshots.ts');
  const { readStoredPage } = await import('../../domain/templates/test-template.ts');
  await using snapshots = closing(await openSnapshots(config));
  for (const project of await store.projects.list()) {
    const page = await readStoredPage(store.snapshots, snapshots.content, project.id, domId);
    if (page !== undefined) return page;
  }
  throw new CommandError(`there is no snapshot ${domId}`);
}

function reportTest(io: CliIo, result: PageTest): void {
  writeLine(io.stdout, `${result.page}: ${result.ok ? 'holds' : 'does not hold'}: ${result.reason}`);
  for (const text of result.missing) writeLine(io.stdout, `  missing: ${text}`);
  const rows = result.fields.map(({ field, same, template, generic, selector }) => [
    `  ${field}`,
    same ? '=' : '≠',
    clip(template),
    same ? '' : clip(generic),
    selector ?? '',
  ]);
  writeTable(io.stdout, ['  FIELD', '', 'TEMPLATE', 'GENERIC', 'SELECTOR'], rows);
}

function clip(value: string | number | readonly string[] | null): string {
  if (value === null) return '-';
  const text = (typeof value === 'object' ? value.join(' | ') : String(value)).replace(/\s+/g, ' ');
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

function createStateCommand(io: CliIo, verb: 'activate' | 'retire' | 'rollback', description: string): Command {
  return new Command(verb)
    .description(description)
    .argument('<template>', NAME)
    .option('--json', 'print JSON')
    .action(async (name: string, flags: JsonFlag) => {
      const { activateTemplate, retireTemplate, rollBackTemplate } = await loadManagement();
      const change = { activate: activateTemplate, retire: retireTemplate, rollback: rollBackTemplate }[verb];
      const stored = await withStore(readConfig(io.environment), (store) =>
        change(toManageDeps(store), COMMAND_LINE, name),
      );
      if (flags.json) writeJson(io.stdout, presentTemplate(stored));
      else writeLine(io.stdout, `${nameVersion(stored)} is ${stored.state}`);
    });
}

function toManageDeps({ siteTemplates, accounts }: Store): ManageTemplatesDeps {
  return { templates: siteTemplates, audit: accounts.audit };
}
