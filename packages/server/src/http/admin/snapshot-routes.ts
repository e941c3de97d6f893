import { toEnginePreference, UPLOAD, type ADMIN_OPERATIONS, type SnapshotQuery } from '@winnow/contract';
import { recordAudit } from '../../domain/accounts/audit.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { readInTurn } from '../routes/read-in-turn.ts';
import type { PagePreview } from '../../domain/inspection/find-main-content.ts';
import type { PageMarks } from '../../domain/inspection/render-safe-page.ts';
import { toStoredHost, type SnapshotFilter, type SnapshotRow } from '../../domain/storage/snapshot-ports.ts';
import type { StageBudget } from '../../domain/shared/ports.ts';
import { deleteSnapshot } from '../../domain/storage/delete-snapshot.ts';
import { readContent } from '../../domain/storage/read-content.ts';
import { limitTime } from '../../domain/shared/time-limit.ts';
import { releasing } from '../../domain/shared/closing.ts';
import { sendMhtml, sendScreenshot } from '../answers/attachments.ts';
import { defineHandlers, readFilterTime, type AdminCall, type AdminDeps } from './admin-operations.ts';
import { presentSnapshot } from './present-admin.ts';

type SnapshotCall = Pick<AdminCall<(typeof ADMIN_OPERATIONS)['readSnapshot']>, 'params' | 'findProject'>;

export const adminSnapshotHandlers = defineHandlers((deps) => {
  const { engineFamily } = deps.settings;
  return {
    listSnapshots: async ({ request, query, findProject }) => {
      const project = await findProject();
      const filter = toFilter(query, engineFamily);
      if (filter === undefined) return { request_id: request.id, items: [], next_cursor: null };
      const page = await deps.pages.snapshots.list(project.id, filter, query);
      const items = page.items.map((row) => presentSnapshot(row, engineFamily));
      return { request_id: request.id, items, next_cursor: page.nextCursor };
    },
    readSnapshot: async (call) => ({
      request_id: call.request.id,
      snapshot: presentSnapshot(await findSnapshot(deps, call), engineFamily),
    }),
    readSnapshotHtml: async (call) => {
      const row = await findSnapshot(deps, call);
      const { request, reply } = call;
      const html = await readInTurn(request, reply, deps.settings, () => readContent(deps.pages, row));
      return { request_id: request.id, dom_id: row.domId, html };
    },
    deleteSnapshot: async (call) => {
      const row = await findSnapshot(deps, call);
      await deleteSnapshot(deps.pages, row.projectId, row.domId);
      const note = { action: 'snapshot.delete', projectId: row.projectId, target: row.domId, detail: { url: row.url } };
      await recordAudit(deps.accounts, call.signedIn().user, note);
      return { request_id: call.request.id, deleted: row.domId };
    },
    drawSnapshot: async (call) => {
      const row = await findSnapshot(deps, call);
      const { request, reply } = call;
      const html = await readInTurn(request, reply, deps.settings, () => readContent(deps.pages, row));
      const query = call.request.query as Record<string, unknown>;
      const outlined = query['outline'] === 'main';
      const page = await drawSnapshot(deps, row, { html, marks: readMarks(query['marks']) }, outlined);
      const mode = query['mode'] === 'pick' ? 'pick' : 'view';
      return call.reply
        .header('Content-Security-Policy', `${SANDBOXES[mode]}; ${PAGE_POLICY}`)
        .header('Cross-Origin-Resource-Policy', 'same-origin')
        .header('X-Content-Type-Options', 'nosniff')
        .type('text/html; charset=utf-8')
        .send(page);
    },
    readScreenshot: async (call) =>
      readInTurn(call.request, call.reply, deps.settings, async () =>
        sendScreenshot(call.reply, deps.pages, await findSnapshot(deps, call)),
      ),
    readMhtml: async (call) =>
      readInTurn(call.request, call.reply, deps.settings, async () =>
        sendMhtml(call.reply, deps.pages, await findSnapshot(deps, call)),
      ),
  };
});

/** Undefined for an unknown engine: nothing can match. */
function toFilter(query: SnapshotQuery, engineFamily: string): SnapshotFilter | undefined {
  const engine = query.engine === UPLOAD ? UPLOAD : toEnginePreference(query.engine ?? 'auto', engineFamily);
  if (query.engine !== undefined && (engine === undefined || engine === 'auto')) return undefined;
  return {
    urlContains: query.url,
    host: query.host && toStoredHost(query.host),
    engine: engine === 'auto' ? undefined : engine,
    statusCode: query.status,
    fetchedFrom: readFilterTime(query.from),
    fetchedTo: readFilterTime(query.to),
  };
}

async function findSnapshot(deps: AdminDeps, { params, findProject }: SnapshotCall): Promise<SnapshotRow> {
  const project = await findProject();
  const row = await deps.pages.snapshots.find(project.id, params.dom_id);
  if (!row) throw new AppError('dom_not_found', 'no such snapshot: it was deleted, has expired or never existed');
  return row;
}

/**
 * `sandbox` gives a stored page an opaque origin without cookies, scripts, forms and navigation; the rest blocks the
 * network. The preview renderer strips these too.
 */
const PAGE_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'";

/** With `pick` the console may inspect the frame; scripts stay off. */
const SANDBOXES = { view: 'sandbox', pick: 'sandbox allow-same-origin' } as const;

/** Includes extracting the main content. */
const DRAW_TIMEOUT_MS = 20_000;

async function drawSnapshot(
  deps: AdminDeps,
  row: SnapshotRow,
  preview: PagePreview,
  outlined: boolean,
): Promise<string> {
  const late = (): AppError =>
    new AppError('extract_timeout', `the preview could not be rendered within ${DRAW_TIMEOUT_MS} ms`);
  using limit = releasing(limitTime([deps.stop], DRAW_TIMEOUT_MS, late));
  const budget: StageBudget = { timeoutMs: DRAW_TIMEOUT_MS, signal: limit.signal };
  if (!outlined) return await deps.previewRenderer.renderPreview(preview, budget);
  const mainText = await extractMainText(deps, row, preview.html, budget);
  return await deps.previewRenderer.renderPreview({ ...preview, mainText }, budget);
}

async function extractMainText(deps: AdminDeps, row: SnapshotRow, html: string, budget: StageBudget): Promise<string> {
  const { finalUrl: url, contentLanguage, projectId, domId } = row;
  const input = { html, url, contentLanguage, formats: [], projectId, domId };
  const { template } = await deps.pages.templates.match(input, budget);
  const { extraction } = await template.apply(input, budget);
  return extraction.mainText;
}

/** Parses marks with node numbers: `title:12.40;author:77`. */
function readMarks(text: unknown): PageMarks {
  const marks: PageMarks = new Map();
  if (typeof text !== 'string') return marks;
  for (const part of text.split(';').slice(0, 100)) {
    const [name = '', nodes = ''] = part.split(':', 2);
    if (!/^[\w-]{1,40}$/.test(name)) continue;
    marks.set(name, nodes.split('.').map(Number).filter(Number.isInteger));
  }
  return marks;
}
