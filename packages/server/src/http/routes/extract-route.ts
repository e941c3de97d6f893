import type { EXTRACT, ExtractRequest, Operation } from '@winnow/contract';
import type { Extraction } from '@winnow/extract';
import { runAdmitted } from '../../domain/admission/current-tenant.ts';
import { extractPage, prepareExtract } from '../../domain/extraction/extract-page.ts';
import type { ExtractCommand, ExtractPageDeps } from '../../domain/extraction/extract-page.ts';
import type { ApiKey, KeyKind } from '../../domain/keys/key-ports.ts';
import { presentExtract, presentHeaders } from '../answers/present.ts';
import type { Handler } from './add-operations.ts';
import { ageOf, readCacheControl } from '../requests/read-cache-control.ts';
import { requireKey, requireWorkflow, type ResponseOptions, type RouteSettings } from '../requests/request-context.ts';
import { checkFields } from '../../domain/extraction/extraction-ports.ts';
import { pickContentOptions } from '../../domain/request-options/content-options.ts';
import { readPageOptions } from '../../domain/request-options/page-options.ts';

export function extractHandler(deps: ExtractPageDeps, settings: RouteSettings): Handler<Operation & typeof EXTRACT> {
  return {
    // Defaults, in case the body cannot be parsed.
    preParsing: (request, _reply, payload, done) => {
      request.responseOptions = readResponseOptions(undefined, requireKey(request).kind);
      done(null, payload);
    },
    work: async ({ request, reply, accept }) => {
      const workflow = requireWorkflow(request);
      const key = requireKey(request);
      const responseOptions = readResponseOptions(request.body, key.kind);
      request.responseOptions = responseOptions;
      const asMarkdown = prefersMarkdown(request.headers.accept);
      const command = await accept(async (body, note) => {
        const bytes = Number(request.headers['content-length'] ?? 0);
        note({ body_bytes: bytes, variant: key.kind === 'project' ? 'A' : 'B' });
        if (key.kind === 'project' && body.workflow !== undefined) note({ ignored: 'workflow' });
        if (asMarkdown) {
          body.extract.formats = [...(body.extract.formats ?? []), 'markdown'];
          // `presentMarkdown` adds the title.
          body.extract.markdown = { ...body.extract.markdown, title: false };
        }
        await checkFields(body.extract.fields, 'extract.fields');
        const reuse = readCacheControl(request.headers['cache-control']);
        const onSnapshot = responseOptions.rawDom ? (html: string) => void (request.rawDom = html) : undefined;
        return prepareExtract(deps, { ...toCommand(body, key, settings), reuse, onSnapshot });
      });
      const budgetMs = Math.min(settings.maxWaitMs, command.page?.timeout_ms ?? settings.maxWaitMs);
      const admission = { key, budgetMs };
      const page = await runAdmitted(settings.admission, admission, workflow, () =>
        extractPage(deps, command, workflow),
      );
      if (page.cached) void reply.header('Age', ageOf(page.snapshot.fetchedAt));
      void reply.headers(presentHeaders(page));
      if (asMarkdown) return reply.type('text/markdown; charset=utf-8').send(presentMarkdown(page.extraction));
      return presentExtract(
        page,
        { requestId: request.id, workflow, engineFamily: settings.engineFamily, rawDom: request.rawDom },
        responseOptions,
      );
    },
  };
}

/** Reads the unvalidated body, so that validation errors follow the options. */
function readResponseOptions(body: unknown, kind: KeyKind): ResponseOptions {
  const trace = (body as { trace?: Record<string, unknown> } | null | undefined)?.trace;
  const steps = trace?.['include_steps'];
  return {
    steps: typeof steps === 'boolean' ? steps : kind === 'key_only',
    rawDom: trace?.['include_raw_dom'] === true,
  };
}

function toCommand(body: ExtractRequest, { kind, projectId }: ApiKey, settings: RouteSettings): ExtractCommand {
  const { extract } = body;
  const { stageTimeoutMs, engineFamily } = settings;
  // Clients may send it with any key; it applies only to standalone keys.
  const workflow = kind === 'key_only' ? (body.workflow ?? {}) : {};
  return {
    projectId,
    url: extract.url,
    domId: extract.dom_id,
    ...pickContentOptions(extract),
    fields: extract.fields,
    page: readPageOptions(extract.options, engineFamily),
    matchTimeoutMs: workflow.match_timeout_ms ?? stageTimeoutMs,
    generateTimeoutMs: workflow.generate_timeout_ms ?? stageTimeoutMs,
    extractTimeoutMs: workflow.extract_timeout_ms ?? stageTimeoutMs,
  };
}

const MARKDOWN = 'text/markdown';
const JSON_TYPE = 'application/json';

/** True if `text/markdown` is named, and `application/json` has no higher quality. Wildcards mean JSON. */
export function prefersMarkdown(accept: string | undefined): boolean {
  if (accept === undefined || !accept.toLowerCase().includes(MARKDOWN)) return false;
  const quality = new Map(accept.toLowerCase().split(',').map(readMediaRange));
  const markdown = quality.get(MARKDOWN) ?? 0;
  return markdown > 0 && markdown >= (quality.get(JSON_TYPE) ?? 0);
}

function readMediaRange(range: string): [type: string, quality: number] {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
}

/** Title as a heading, then the main content. Requires the format `markdown`. */
export function presentMarkdown({ title, markdown = '' }: Extraction): string {
  const line = title === null || title.trim() === '' ? '' : `# ${escapeMarkdown(title)}`;
  // The main content may keep the heading with the title.
  const heading = line === '' || isSameLine(line, markdown.slice(0, markdown.indexOf('\n'))) ? '' : `${line}\n\n`;
  return `${heading}${markdown.trimEnd()}\n`;
}

/** Compares words: the same text may be marked up or escaped in another way. */
function isSameLine(a: string, b: string): boolean {
  const words = (line: string): string =>
    line
      .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      .toLowerCase();
  return /^#{1,2} /.test(b) && words(a) === words(b);
}

function escapeMarkdown(text: string): string {
  return (
    text
      .replaceAll(/\s+/g, ' ')
      .trim()
      .replaceAll('&', '&amp;')
      // Some renderers know no `\<`.
      .replaceAll('<', '&lt;')
      .replaceAll(/[\\`*_{}[\]>#|~$]/g, String.raw`\$&`)
  );
}
