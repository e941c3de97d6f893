import { once } from 'node:events';
import { Command } from 'commander';
import { readConfig } from '../../config/config.ts';
import type { Config } from '../../config/config.ts';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { onlyGeneric } from '../../domain/extraction/generic-templates.ts';
import { Workflow } from '../../domain/shared/workflow.ts';
import type { ToolCall } from '../../http/mcp/tool-call.ts';
import { writeLine, writeStack } from '../support/cli-io.ts';
import type { CliIo } from '../support/cli-io.ts';

/** The key and project of every call. */
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
  const tools = await openTools(config, io);
  const transport = new StdioServerTransport(io.stdin, io.stdout);
  const ended = Promise.race([
    ...['end', 'close'].map((name) => once(io.stdin, name, { signal: io.signal })),
    once(io.signal, 'abort'),
  ]).catch(() => undefined);
  const createServer = prepareMcpServers({ ...tools.deps, version });
  const handle = serveStdio(() => createServer(tools.openCall), {
    transport,
    onerror: (error) => writeLine(io.stderr, `winnow: ${error.message}`),
  });
  try {
    if (!io.signal.aborted) await ended;
  } finally {
    await handle.close();
    await tools.close();
  }
}

/** Engines, extraction and the snapshots of the session. */
async function openTools(config: Config, io: CliIo) {
  // Loaded where they are needed: no other command waits for the engines' modules.
  const [{ openLocalEngines }, { openAdmission }, { SessionSnapshots }] = await Promise.all([
    import('../support/open-local-engines.ts'),
    import('../../composition/open-admission.ts'),
    import('../mcp/session-snapshots.ts'),
  ]);
  const { extractor, fetcher, worker, judgeHtml, judgeDump, ...engines } = openLocalEngines(config, io.signal);
  const admission = openAdmission(config, { fetcher, shared: undefined, node: SESSION.id, onError: () => undefined });
  const snapshots = new SessionSnapshots();
  const pages = {
    fetcher: admission.fetcher,
    snapshots,
    content: snapshots,
    filter: worker,
    fieldReader: worker,
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
  const settings = {
    limits: { maxTimeoutMs: config.maxTimeoutMs, maxUrlLength: config.maxUrlLength },
    engineFamily: config.engineFamily,
    dumpTimeoutMs: config.dumpTimeoutMs,
    stageTimeoutMs: config.stageTimeoutMs,
    maxWaitMs: config.maxWaitMs,
  };
  const openCall = (signal: AbortSignal): ToolCall => {
    const workflow = new Workflow({ signal: AbortSignal.any([signal, io.signal]) });
    return {
      projectId: SESSION.projectId,
      workflow,
      accept: () => undefined,
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
