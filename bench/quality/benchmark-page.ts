import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Labels of one page; `null` and '' mean that the page has no such field. */
export interface Truth {
  readonly title: string | null;
  readonly author: string | null;
  /** `YYYY-MM-DD`, rarely only `YYYY-MM`. */
  readonly publishDate: string | null;
  /** Fields without a label. */
  readonly unlabelled: readonly ('author' | 'publishDate')[];
  readonly mainContent: string;
  /** Unscored text: doubtful parts, and comments that the truth leaves out. */
  readonly neutral: string;
  /** Required and forbidden snippets of the extracted text. */
  readonly with: readonly string[];
  readonly without: readonly string[];
}

export interface BenchmarkPage {
  readonly id: string;
  readonly url: string | undefined;
  /** One of the seven page types; the data's `category` is called `collection`. */
  readonly pageType: string;
  readonly truth: Truth;
}

/** Returns the sorted ids of a folder in the WCXB layout; throws if it has another layout. */
export function listPageIds(folder: string): string[] {
  const truthFolder = join(folder, 'ground-truth');
  if (!existsSync(truthFolder)) {
    throw new Error(`${folder} is not in the WCXB layout: it has no folder "ground-truth"`);
  }
  return readdirSync(truthFolder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted();
}

/** The ground truth of one page, from `ground-truth/ID.json`. */
export function readPage(folder: string, id: string): BenchmarkPage {
  const file = join(folder, 'ground-truth', `${id}.json`);
  const record: GroundTruthFile = JSON.parse(readFileSync(file, 'utf8'));
  const { ground_truth: truth, _internal: labels } = record;
  const type = labels?.page_type?.primary ?? 'unknown';
  return {
    id,
    url: record.url ?? undefined,
    pageType: type === 'category' ? 'collection' : type,
    truth: {
      title: truth.title ?? null,
      author: truth.author ?? null,
      publishDate: truth.publish_date ?? null,
      unlabelled: [
        ...(truth.author === undefined ? (['author'] as const) : []),
        ...(truth.publish_date === undefined ? (['publishDate'] as const) : []),
      ],
      mainContent: truth.main_content ?? '',
      neutral: [...(truth.doubtful ?? []), truth.comments ?? ''].join('\n'),
      with: truth.with ?? [],
      without: truth.without ?? [],
    },
  };
}

/** The HTML of one page, from `html/ID.html.gz` or `html/ID.html`, read as UTF-8. */
export function readHtml(folder: string, id: string): string {
  const packed = join(folder, 'html', `${id}.html.gz`);
  if (existsSync(packed)) return gunzipSync(readFileSync(packed)).toString('utf8');
  return readFileSync(join(folder, 'html', `${id}.html`), 'utf8');
}

interface GroundTruthFile {
  url?: string | null;
  _internal?: { page_type?: { primary?: string } };
  ground_truth: {
    title?: string | null;
    author?: string | null;
    publish_date?: string | null;
    main_content?: string | null;
    doubtful?: string[] | null;
    comments?: string | null;
    with?: string[] | null;
    without?: string[] | null;
  };
}
