/** The labelled pages of all sets in `sets.json`, checked before training. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { reducePage } from './reduce-page.ts';

export interface LabelledPage {
  /** Set and id, for instance `news/ABC_2025_01_13`. */
  readonly key: string;
  readonly url: string;
  readonly html: string;
  /** The ground-truth file of a page of which this is a small copy. */
  readonly reduced?: string;
}

/** End of the key of a small copy. */
const REDUCED = '~small';

interface SetSettings {
  /** The set whose pages these labels are for; the folder then has no HTML. */
  readonly relabels?: string;
  /** Ids whose ground truth has no `main_content`: their true text is empty. */
  readonly withoutText?: readonly string[];
  /** Lists of texts in the ground truth that belong to the main text, for a set whose `main_content` is unknown. */
  readonly parts?: readonly string[];
  /** Whether small copies of the pages are learnt from, too. */
  readonly reduced?: boolean;
}

const SETS = JSON.parse(readFileSync(new URL('sets.json', import.meta.url), 'utf8')) as Record<string, SetSettings>;

/**
 * Lists the pages of all sets below a folder, set by set.
 *
 * @throws Error naming the file or folder when a set or its HTML is missing, or a ground-truth file lacks a field
 */
export function listPages(data: string): LabelledPage[] {
  const pages: LabelledPage[] = [];
  for (const [set, settings] of Object.entries(SETS)) {
    const folder = `${data}/${set}`;
    if (!existsSync(`${folder}/ground-truth`)) throw new Error(`${folder}/ground-truth: missing`);
    const htmlFolder = `${data}/${settings.relabels ?? set}/html`;
    if (!existsSync(htmlFolder)) throw new Error(`${htmlFolder}: missing, so set ${set} has no HTML`);
    for (const name of readdirSync(`${folder}/ground-truth`).toSorted()) {
      if (!name.endsWith('.json')) continue;
      const id = name.slice(0, -'.json'.length);
      const file = `${folder}/ground-truth/${name}`;
      const url = checkTruth(file, id, settings);
      const html = `${htmlFolder}/${id}.html.gz`;
      if (!existsSync(html)) throw new Error(`${html}: missing, but ${folder}/ground-truth/${name} needs it`);
      if (settings.relabels !== undefined) continue;
      pages.push({ key: `${set}/${id}`, url, html });
      if (settings.reduced === true) pages.push({ key: `${set}/${id}${REDUCED}`, url, html, reduced: file });
    }
  }
  return pages;
}

export function readHtml(page: LabelledPage): string {
  const html = gunzipSync(readFileSync(page.html)).toString();
  if (page.reduced === undefined) return html;
  const truth = JSON.parse(readFileSync(page.reduced, 'utf8')) as { ground_truth?: { main_content?: string } };
  return reducePage(html, truth.ground_truth?.main_content ?? '', page.key) ?? '';
}

/** Checks that a ground-truth file has the fields for training; returns the page's address, or '' if unknown. */
function checkTruth(file: string, id: string, settings: SetSettings): string {
  let truth: Record<string, unknown>;
  try {
    truth = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  } catch (cause) {
    throw new Error(`${file}: not JSON`, { cause });
  }
  const url = truth['url'];
  if (url === undefined || (url !== null && typeof url !== 'string')) throw new Error(`${file}: no field url`);
  const labels = truth['_internal'] as { page_type?: { primary?: unknown } } | undefined;
  if (typeof labels?.page_type?.primary !== 'string') throw new Error(`${file}: no field _internal.page_type.primary`);
  checkText(file, (truth['ground_truth'] ?? {}) as Record<string, unknown>, id, settings);
  return url ?? '';
}

function checkText(file: string, truth: Record<string, unknown>, id: string, settings: SetSettings): void {
  for (const part of settings.parts ?? []) {
    const texts = truth[part];
    const isList = Array.isArray(texts) && texts.every((text) => typeof text === 'string');
    if (!isList) throw new Error(`${file}: no field ground_truth.${part}`);
  }
  const isKnown = settings.parts === undefined && settings.withoutText?.includes(id) !== true;
  if (isKnown && typeof truth['main_content'] !== 'string') {
    throw new Error(`${file}: no field ground_truth.main_content`);
  }
}
