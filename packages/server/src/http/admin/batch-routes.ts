import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BatchItemBody, BatchLine } from '@winnow/contract';
import { recordAudit } from '../../domain/accounts/audit.ts';
import {
  cancelBatch,
  deleteBatch,
  listBatches,
  readBatch,
  readResults,
  retryFailed,
} from '../../domain/batches/batches.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { listDoubtCodes, presentBatch } from '../answers/present.ts';
import { readInTurn } from '../routes/read-in-turn.ts';
import { defineHandlers, sessionKeyId } from './admin-operations.ts';

const PAGE = 20;

export const adminBatchHandlers = defineHandlers((deps) => {
  const { batches } = deps;
  return {
    listBatches: async ({ request, query, findProject }) => {
      const project = await findProject();
      const { state, cursor, limit = PAGE } = query;
      const page = await listBatches(batches, project.id, state, { limit, cursor });
      return { request_id: request.id, items: page.items.map(presentBatch), next_cursor: page.nextCursor };
    },
    readBatch: async ({ request, params, findProject }) => {
      const project = await findProject();
      return { request_id: request.id, batch: presentBatch(await readBatch(batches, project.id, params.id)) };
    },
    listBatchItems: async ({ request, query, params, findProject }) => {
      const project = await findProject();
      const { outcome, after = -1, limit = PAGE } = query;
      const range = { after, limit, isPage: false, outcome };
      const items: BatchItemBody[] = [];
      for await (const line of await readResults(batches, project.id, params.id, range)) {
        items.push(presentItem(JSON.parse(line) as BatchLine));
        // Lines may be large, so other requests run between them.
        await nextTurn();
      }
      return { request_id: request.id, items, next_after: items.length < limit ? null : (items.at(-1)?.index ?? null) };
    },
    readBatchItem: async ({ request, reply, params, findProject }) => {
      const project = await findProject();
      const index = /^\d{1,7}$/.test(params.index) ? Number(params.index) : -1;
      const range = { after: index - 1, limit: 1, isPage: false };
      const lines = await readInTurn(request, reply, deps.settings, () =>
        readResults(batches, project.id, params.id, range),
      );
      for await (const line of lines) {
        const item = JSON.parse(line) as BatchLine;
        if (item.index === index) return { request_id: request.id, item };
      }
      throw new AppError('not_found', 'there is no finished item with this index');
    },
    retryBatch: async ({ request, params, signedIn, findProject }) => {
      const { user } = signedIn();
      const project = await findProject();
      if (project.archivedAt !== null) throw new AppError('conflict', 'the project is archived');
      const key = { id: sessionKeyId(user), quotaPerMinute: null };
      const created = await retryFailed(batches, project.id, params.id, key);
      batches.onBatch();
      await recordAudit(deps.accounts, user, { action: 'batch.retry', projectId: project.id, target: params.id });
      return { request_id: request.id, batch: presentBatch(created) };
    },
    cancelBatch: async ({ request, params, signedIn, findProject }) => {
      const { user } = signedIn();
      const project = await findProject();
      const cancelled = await cancelBatch(batches, project.id, params.id);
      await recordAudit(deps.accounts, user, { action: 'batch.cancel', projectId: project.id, target: params.id });
      return { request_id: request.id, batch: presentBatch(cancelled) };
    },
    deleteBatch: async ({ request, params, signedIn, findProject }) => {
      const { user } = signedIn();
      const project = await findProject();
      await deleteBatch(batches, project.id, params.id);
      await recordAudit(deps.accounts, user, { action: 'batch.delete', projectId: project.id, target: params.id });
      return { request_id: request.id, deleted: params.id };
    },
    downloadBatchResults: async ({ request, reply, params, findProject }) => {
      const project = await findProject();
      const range = { after: -1, limit: Number.POSITIVE_INFINITY, isPage: false };
      const lines = await readInTurn(request, reply, deps.settings, () =>
        readResults(batches, project.id, params.id, range),
      );
      return reply
        .header('Content-Disposition', `attachment; filename="${params.id}.ndjson"`)
        .header('X-Content-Type-Options', 'nosniff')
        .type('application/x-ndjson; charset=utf-8')
        .send(Readable.from(lines));
    },
  };
});

function presentItem({ index, url, dom_id: domId, result, metadata, error }: BatchLine): BatchItemBody {
  return {
    index,
    url: url ?? result?.url ?? null,
    dom_id: metadata?.dom_id ?? domId ?? null,
    title: result?.title ?? null,
    template_id: metadata?.template_id ?? null,
    engine: metadata?.engine ?? null,
    confidence: metadata?.confidence ?? null,
    warnings: metadata ? listDoubtCodes(metadata) : [],
    error: error ?? null,
  };
}
