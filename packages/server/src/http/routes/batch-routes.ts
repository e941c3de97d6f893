import { Readable } from 'node:stream';
import {
  CRAWL_DEFAULTS,
  IDEMPOTENCY_HEADER,
  IDEMPOTENCY_KEY_PATTERN,
  MAX_BATCH_ITEMS,
  batchItemLineSchema,
  batchOptionsLineSchema,
  validate,
  withoutUnset,
  type API_OPERATIONS,
  type CrawlRequest,
  type BatchOptionsLine,
  type BatchRequest,
  type BatchResponse,
  type RequestSchemaOptions,
} from '@winnow/contract';
import type { FastifyRequest } from 'fastify';
import { checkTarget } from '../../domain/capture/check-target.ts';
import {
  cancelBatch,
  checkEarlierCrawl,
  createBatch,
  deleteBatch,
  readBatch,
  readResults,
  requireCrawl,
} from '../../domain/batches/batches.ts';
import type { BatchDeps, CreateBatchCommand, CountedBatch } from '../../domain/batches/batches.ts';
import { AppError } from '../../domain/shared/errors.ts';
import type { ApiKey } from '../../domain/keys/key-ports.ts';
import { presentBatch } from '../answers/present.ts';
import type { Handlers } from './add-operations.ts';
import { readCacheControl } from '../requests/read-cache-control.ts';
import { requireKey, requireWorkflow, type RouteSettings } from '../requests/request-context.ts';
import { traceHeadersOf } from '../requests/trace-context.ts';
import { checkFields } from '../../domain/extraction/extraction-ports.ts';
import { pickContentOptions } from '../../domain/request-options/content-options.ts';
import { readPageOptions } from '../../domain/request-options/page-options.ts';
import { parseJsonText } from '../../domain/shared/parse-json-text.ts';
import type { EarlierCrawls } from '../../domain/crawls/crawl-ports.ts';
import { readInTurn } from './read-in-turn.ts';
import type { BatchTarget } from '../../domain/batches/batch-ports.ts';

export interface BatchRouteDeps extends BatchDeps {
  /** Called for a new batch. */
  readonly onBatch: () => void;
  /** What `since` of a crawl names. */
  readonly earlier: EarlierCrawls;
}

export function batchHandlers(deps: BatchRouteDeps, settings: RouteSettings): Handlers<typeof API_OPERATIONS.batches> {
  const existing = {
    readBatch: async ({ request, params }) =>
      presentResponse(await readBatch(deps, requireKey(request).projectId, params.id), request.id),
    cancelBatch: async ({ request, params }) =>
      presentResponse(await cancelBatch(deps, requireKey(request).projectId, params.id), request.id),
    deleteBatch: async ({ request, params: { id } }) => {
      await deleteBatch(deps, requireKey(request).projectId, id);
      return { request_id: request.id, deleted: id };
    },
    readBatchResults: async ({ request, reply, params, query: { after, limit } }) => {
      const range = {
        after: after === undefined ? -1 : Number(after),
        limit: limit === undefined ? MAX_BATCH_ITEMS : Number(limit),
        isPage: after !== undefined || limit !== undefined,
      };
      const lines = await readInTurn(request, reply, settings, () =>
        readResults(deps, requireKey(request).projectId, params.id, range),
      );
      return reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines));
    },
  } satisfies Partial<Handlers<typeof API_OPERATIONS.batches>>;
  /** A crawl is a batch; an id of another batch is none of a crawl. */
  const ofCrawl =
    <Call extends { readonly request: FastifyRequest; readonly params: { readonly id: string } }, Answer>(
      handler: (call: Call) => Promise<Answer>,
    ) =>
    async (call: Call): Promise<Answer> => {
      await requireCrawl(deps, requireKey(call.request).projectId, call.params.id);
      return handler(call);
    };
  return {
    ...existing,
    readCrawl: ofCrawl(existing.readBatch),
    cancelCrawl: ofCrawl(existing.cancelBatch),
    deleteCrawl: ofCrawl(existing.deleteBatch),
    readCrawlResults: ofCrawl(existing.readBatchResults),
    createBatch: async ({ request, readBody }) => {
      const key = requireKey(request);
      const command = await requireWorkflow(request).run('request', {}, async ({ note }) => {
        const { body } = request;
        // JSON Lines.
        const { targets, options } = Buffer.isBuffer(body)
          ? await readBatchLines(body, settings)
          : { targets: undefined, options: readBody(note) };
        request.acceptedBody = options;
        await checkFields(options.fields, 'fields');
        const accepted = toCommand(options, key, request, settings);
        return { ...accepted, targets: targets ?? accepted.targets };
      });
      const batch = await createBatch(deps, command);
      deps.onBatch();
      return presentResponse(batch, request.id);
    },
    createCrawl: async ({ request, accept }) => {
      const key = requireKey(request);
      const command = await accept(async (body) => {
        await checkFields(body.fields, 'fields');
        if (body.since !== undefined) await checkEarlierCrawl(deps.earlier, key.projectId, body.since);
        return toCrawlCommand(body, toCommand(body, key, request, settings), deps);
      });
      const batch = await createBatch(deps, command);
      deps.onBatch();
      return presentResponse(batch, request.id);
    },
  };
}

function presentResponse(batch: CountedBatch, requestId: string): BatchResponse {
  return { request_id: requestId, batch: presentBatch(batch) };
}

function toCommand(
  body: BatchRequest | BatchOptionsLine | CrawlRequest,
  key: ApiKey,
  request: FastifyRequest,
  { engineFamily }: RouteSettings,
): CreateBatchCommand {
  const { urls = [], dom_ids: domIds = [] }: Partial<BatchRequest> = 'url' in body ? {} : body;
  return {
    projectId: key.projectId,
    key: { id: key.id, quotaPerMinute: key.quotaPerMinute },
    idempotencyKey: readIdempotencyKey(request, IDEMPOTENCY_HEADER),
    targets: [
      ...urls.map((value) => ({ kind: 'url', value }) as const),
      ...domIds.map((value) => ({ kind: 'dom_id', value }) as const),
    ],
    options: {
      ...pickContentOptions(body),
      fields: body.fields,
      respectRobots: body.respect_robots ?? true,
      page: body.options && readPageOptions(body.options, engineFamily),
      reuse: readReuse(request),
    },
    webhook: body.webhook ?? null,
    trace: traceHeadersOf(request),
  };
}

/**
 * Makes the command for a crawl of one for its options.
 * @throws {AppError} `invalid_request`, `url_not_allowed` for the start page
 */
export function toCrawlCommand(
  body: CrawlRequest,
  command: Omit<CreateBatchCommand, 'targets'>,
  { urlPolicy, projectEgress }: BatchRouteDeps,
): CreateBatchCommand {
  const start = checkTarget(body.url, 'url', urlPolicy, projectEgress.get(command.projectId));
  start.hash = '';
  const crawl = {
    url: start.href,
    limit: body.limit ?? CRAWL_DEFAULTS.limit,
    maxDepth: body.max_depth ?? CRAWL_DEFAULTS.max_depth,
    include: body.include ?? [],
    exclude: body.exclude ?? [],
    scope: body.scope ?? CRAWL_DEFAULTS.scope,
    sitemap: body.sitemap ?? CRAWL_DEFAULTS.sitemap,
    since: body.since,
    ...(body.delay !== undefined && { delayMs: body.delay * 1000 }),
  };
  return { ...command, targets: [{ kind: 'url', value: start.href }], options: { ...command.options, crawl } };
}

/** With null for infinity, which JSON cannot store. */
function readReuse({ headers }: FastifyRequest): CreateBatchCommand['options']['reuse'] {
  const reuse = readCacheControl(headers['cache-control']);
  return reuse && { ...reuse, maxAgeMs: Number.isFinite(reuse.maxAgeMs) ? reuse.maxAgeMs : null };
}

/** @throws {AppError} `invalid_request` */
export function readIdempotencyKey({ headers }: FastifyRequest, name: string): string | null {
  const value = headers[name.toLowerCase()];
  if (value === undefined) return null;
  if (typeof value === 'string' && IDEMPOTENCY_KEY_PATTERN.test(value)) return value;
  throw new AppError('invalid_request', `${name}: must be 1 to 255 printable ASCII characters, no space`);
}

/**
 * Reads a batch of JSON Lines in slices.
 * @throws {AppError} `invalid_request`, naming the line
 */
async function readBatchLines(
  body: Buffer,
  options: RequestSchemaOptions,
): Promise<{ targets: BatchTarget[]; options: BatchOptionsLine }> {
  const reader = new LineReader(options);
  let number = 0;
  let sinceYield = 0;
  for (let start = 0; start < body.length;) {
    const found = body.indexOf(NEW_LINE, start);
    const end = found === -1 ? body.length : found;
    number += 1;
    reader.take(body.subarray(start, end), number);
    sinceYield += end - start + LINE_COST_BYTES;
    start = end + 1;
    if (sinceYield < BYTES_AT_ONCE) continue;
    sinceYield = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return reader.end();
}

const NEW_LINE = 0x0a;

/** Bytes per slice, and overhead per line. */
const BYTES_AT_ONCE = 256 * 1024;
const LINE_COST_BYTES = 256;

/** An item with the longest URL, fully escaped, is shorter. */
const MAX_LINE_BYTES = 512 * 1024;

class LineReader {
  readonly #itemSchema: ReturnType<typeof batchItemLineSchema>;
  readonly #optionsSchema: ReturnType<typeof batchOptionsLineSchema>;
  readonly #targets: BatchTarget[] = [];
  #options: BatchOptionsLine | undefined;

  constructor(options: RequestSchemaOptions) {
    this.#itemSchema = batchItemLineSchema(options);
    this.#optionsSchema = batchOptionsLineSchema(options);
  }

  take(bytes: Uint8Array, number: number): void {
    if (bytes.every(isBlank)) return;
    const value = parseLine(bytes, number);
    const isItem = typeof value === 'object' && value !== null && ('url' in value || 'dom_id' in value);
    if (!isItem && this.#targets.length === 0 && this.#options === undefined) {
      const checked = validate(this.#optionsSchema, withoutUnset(this.#optionsSchema, value), 'the options');
      if (!checked.ok) throw refuse(number, checked.message);
      this.#options = checked.value;
      return;
    }
    const checked = validate(this.#itemSchema, withoutUnset(this.#itemSchema, value), 'the item');
    if (!checked.ok) throw refuse(number, checked.message);
    if (this.#targets.length === MAX_BATCH_ITEMS) throw refuse(number, `a batch has at most ${MAX_BATCH_ITEMS} items`);
    const { url, dom_id: domId = '' } = checked.value;
    this.#targets.push(url === undefined ? { kind: 'dom_id', value: domId } : { kind: 'url', value: url });
  }

  end(): { targets: BatchTarget[]; options: BatchOptionsLine } {
    if (this.#targets.length === 0) throw new AppError('invalid_request', 'body: needs at least one line with an item');
    return { targets: this.#targets, options: this.#options ?? {} };
  }
}

function parseLine(bytes: Uint8Array, number: number): unknown {
  if (bytes.length > MAX_LINE_BYTES) throw refuse(number, `must have at most ${MAX_LINE_BYTES} bytes`);
  try {
    return parseJsonText(bytes);
  } catch (error) {
    if (error instanceof AppError) throw refuse(number, error.message.replace(/^body: /, ''), error);
    throw error;
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

function refuse(number: number, fault: string, cause?: unknown): AppError {
  return new AppError('invalid_request', `line ${number}: ${fault}`, { cause });
}
