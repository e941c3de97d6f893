import type { DUMP, DumpRequest, Operation } from '@winnow/contract';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { dumpDom, prepareDump, type DumpDomDeps, type DumpCommand } from '../../domain/capture/dump-dom.ts';
import { presentDump } from '../answers/present.ts';
import type { Handler } from './add-operations.ts';
import { ageOf, readCacheControl } from '../requests/read-cache-control.ts';
import { requireKey, requireWorkflow, type RouteSettings } from '../requests/request-context.ts';
import { readPageOptions } from '../../domain/request-options/page-options.ts';

export function dumpHandler(deps: DumpDomDeps, settings: RouteSettings): Handler<Operation & typeof DUMP> {
  return async ({ request, reply, accept }) => {
    const workflow = requireWorkflow(request);
    const key = requireKey(request);
    const command = await accept((body) => {
      const reuse = readCacheControl(request.headers['cache-control']);
      return prepareDump(deps, { ...toCommand(body, key.projectId, settings), reuse });
    });
    const budgetMs = Math.min(settings.maxWaitMs, command.timeoutMs);
    const page = await runAdmitted(settings.admission, { key, budgetMs }, workflow, async (waitedMs) => {
      // The caller's timeout includes the wait.
      const timeoutMs = Math.max(1, Math.round(command.timeoutMs - waitedMs));
      return dumpDom(deps, { ...command, timeoutMs }, workflow);
    });
    if (page.cached) void reply.header('Age', ageOf(page.row.fetchedAt));
    return presentDump(page, { requestId: request.id, workflow, engineFamily: settings.engineFamily });
  };
}

function toCommand({ url, options }: DumpRequest, projectId: string, settings: RouteSettings): DumpCommand {
  return {
    projectId,
    url,
    timeoutMs: options?.timeout_ms ?? settings.dumpTimeoutMs,
    page: readPageOptions(options, settings.engineFamily),
  };
}
