import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { Command } from 'commander';
import { readConfig, type Config } from '../../config/config.ts';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { onlyGeneric } from '../../domain/extraction/generic-templates.ts';
import { closing } from '../../domain/shared/closing.ts';
import { Workflow } from '../../domain/shared/workflow.ts';
import type { ToolCall } from '../../http/mcp/mcp-tool.ts';
import { writeLine, writeStack, type CliIo } from '../support/cli-io.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { Page, PageRequest } from '../../domain/shared/ports.ts';
import type {
  SnapshotContent,
  SnapshotFilter,
  SnapshotRepository,
  SnapshotRow,
} from '../../domain/storage/snapshot-ports.ts';

const SESSION = { id: 'session', projectId: 'session' };

export function createMcpCommand(io: CliIo, version: string): Command {
  return new Command('mcp')
    .summary('serve the tools of the Model Context Protocol on standard input and output')
    .description(
      `Gives a program that speaks the Model Context Protocol the tools extract, dump, read_snapshot and search_snapshots, on this machine: no service has to run. Snapshots are kept in memory, as long as the program is connected.

A running service has the same tools at /mcp, with keys and stored snapshots.`,
    )
    .action(() => serve(io, version));
}

async function serve(io: CliIo, version: string): Promise<void> {
  const config = readConfig(io.environment);
  const { serveStdio, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const { prepareMcpServers } = await import('../../http/mcp/mcp-server.ts');
  await using tools = closing(await openTools(config, io));
  const transport = new StdioServerTransport(io.stdin, io.stdout);
  const ended = Promise.race([
    ...['end', 'close'].map((name) => once(io.stdin, name, { signal: io.signal })),
    once(io.signal, 'abort'),
  ]).catch(() => undefined);
  const createServer = prepareMcpServers({ ...tools.deps, version });
  const onerror = (error: Error): void => writeLine(io.stderr, `winnow: ${error.message}`);
  await using _ = closing(serveStdio(() => createServer(tools.openCall), { transport, onerror }));
  if (!io.signal.aborted) await ended;
}

async function openTools(config: Config, io: CliIo) {
  // Loaded where they are needed: no other command waits for the engines' modules.
  const [{ openLocalEngines }, { openAdmission }] = await Promise.all([
    import('../support/open-local-engines.ts'),
    import('../../composition/open-admission.ts'),
  ]);
  const { extractor, fetcher, worker, judgeHtml, judgeDump, ...engines } = openLocalEngines(config, io.signal);
  const admission = openAdmission(config, { fetcher, shared: undefined, node: SESSION.id, onError: () => undefined });
  const snapshots = new SessionSnapshots();
  const pages = {
    fetcher: admission.fetcher,
    snapshots,
    content: snapshots,
    filter: worker,
    extractor,
    judgeHtml,
    judgeDump,
    projectEgress: new Map(),
    requestProxies: new Set<string>(),
    storage: { limitBytes: undefined, requireRoom: async () => undefined },
    urlPolicy: fetcher,
    templates: onlyGeneric(extractor),
    fetchTimeoutMs: config.fetchTimeoutMs,
    minConfidence: config.minConfidence,
  };
  const { maxTimeoutMs, maxUrlLength, engineFamily, dumpTimeoutMs, stageTimeoutMs, maxWaitMs } = config;
  const limits = { maxTimeoutMs, maxUrlLength };
  const settings = { limits, engineFamily, dumpTimeoutMs, stageTimeoutMs, maxWaitMs };
  const openCall = (signal: AbortSignal): Omit<ToolCall, 'report'> => {
    const workflow = new Workflow({ signal: AbortSignal.any([signal, io.signal]) });
    return {
      projectId: SESSION.projectId,
      key: { id: SESSION.id, quotaPerMinute: null },
      workflow,
      accept: () => undefined,
      end: () => undefined,
      admit: (budgetMs, work) => runAdmitted(admission.queue, { key: SESSION, budgetMs }, workflow, work),
      fail: (error) => {
        if (error.code === 'internal') writeStack(io.stderr, error.cause);
      },
    };
  };
  const close = async (): Promise<void> => {
    await admission.hosts.close();
    await engines.close();
  };
  return { deps: { pages, settings }, openCall, close };
}

/** UTF-16 code units of HTML that a session keeps. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_SNAPSHOTS = 1000;
const DEFAULT_LIMIT = 50;

/** Keeps the newest snapshots of a session in memory, up to a size. */
class SessionSnapshots
  implements Pick<SnapshotRepository, 'insert' | 'find' | 'list'>, Pick<SnapshotContent, 'put' | 'get'>
{
  readonly #rows: SnapshotRow[] = [];
  readonly #texts = new Map<string, string>();
  #characters = 0;

  async put(html: string): Promise<{ hash: string; bytes: number; storedBytes: number }> {
    const hash = createHash('sha256').update(html).digest('hex');
    if (!this.#texts.has(hash)) {
      this.#texts.set(hash, html);
      this.#characters += html.length;
    }
    const bytes = Buffer.byteLength(html);
    return { hash, bytes, storedBytes: bytes };
  }

  async get(hash: string): Promise<string | undefined> {
    return this.#texts.get(hash);
  }

  async insert(row: SnapshotRow): Promise<void> {
    this.#rows.unshift(row);
    while (this.#rows.length > 1 && (this.#rows.length > MAX_SNAPSHOTS || this.#characters > MAX_CHARACTERS))
      this.#dropOldest();
  }

  async find(_projectId: string, domId: string): Promise<SnapshotRow | undefined> {
    return this.#rows.find((row) => row.domId === domId);
  }

  async findReusable(_projectId: string, reuseKey: string, fetchedFrom: Date): Promise<SnapshotRow | undefined> {
    return this.#rows.find((row) => row.reuseKey === reuseKey && row.fetchedAt >= fetchedFrom);
  }

  /** Newest first; the cursor is the id of the previous page's last snapshot. */
  async list(_projectId: string, filter: SnapshotFilter = {}, page: PageRequest = {}): Promise<Page<SnapshotRow>> {
    const { limit = DEFAULT_LIMIT, cursor } = page;
    const after = cursor === undefined ? -1 : this.#rows.findIndex(({ domId }) => domId === cursor);
    if (cursor !== undefined && after === -1)
      throw new AppError('invalid_request', 'cursor: not a cursor of this list');
    const found = this.#rows.slice(after + 1).filter((row) => fits(row, filter));
    const items = found.slice(0, limit);
    return { items, nextCursor: found.length > limit ? (items.at(-1)?.domId ?? null) : null };
  }

  #dropOldest(): void {
    const dropped = this.#rows.pop();
    if (dropped === undefined || this.#rows.some(({ hash }) => hash === dropped.hash)) return;
    this.#characters -= this.#texts.get(dropped.hash)?.length ?? 0;
    this.#texts.delete(dropped.hash);
  }
}

function fits({ url, finalUrl }: SnapshotRow, { urlContains, host }: SnapshotFilter): boolean {
  const part = urlContains?.toLowerCase() ?? '';
  const hasPart = [url, finalUrl].some((text) => text.toLowerCase().includes(part));
  return hasPart && (host === undefined || URL.parse(finalUrl)?.hostname === host.toLowerCase());
}
