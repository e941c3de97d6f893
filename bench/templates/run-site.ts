import { SiteTemplates } from '../../packages/server/src/domain/templates/site-templates.ts';
import type { LearningPage, TemplateWorker } from '../../packages/server/src/domain/templates/template-ports.ts';
import type { PageSource } from '../../packages/server/src/domain/extraction/extraction-ports.ts';
import type { Store } from '../../packages/server/src/store/open-store.ts';
import { inlineExtractor, inlineTemplates } from '../../packages/server/src/workers/testing/inline-workers.ts';
import { agreeAsDays, agreeAsNames } from '../quality/score-fields.ts';
import { scoreText } from '../quality/score-text.ts';
import type { Extraction } from '@winnow/extract';
import type { Site } from './list-sites.ts';
import { makePage, type SitePage } from './make-site.ts';
import { timePage, type PageTimes } from './time-page.ts';

/** Result of one page. */
export interface PageRun {
  readonly site: string;
  /** 1-based order of visits. */
  readonly place: number;
  readonly changed: boolean;
  readonly templateId: string;
  readonly fallback: string | undefined;
  readonly served: PageScore;
  readonly generic: PageScore;
  /** Of every fourth place, if a template served the page. */
  readonly times: PageTimes | undefined;
}

interface PageScore {
  readonly f1: number;
  /** Undefined if the layout has no place for the field. */
  readonly title: boolean | undefined;
  readonly author: boolean | undefined;
  readonly date: boolean | undefined;
}

export interface RunOptions {
  readonly store: Store;
  /** Place of the first page with changed markup; undefined: the site does not change. */
  readonly changeAt: number | undefined;
  readonly timed: boolean;
}

/** Timing takes longer than everything else, so only some pages are timed. */
const TIMED_EVERY = 4;

/** Processes the pages of one site in order, as the service would, including the work after each reply. */
export async function runSite(site: Site, options: RunOptions): Promise<PageRun[]> {
  const snapshots = new Map<string, LearningPage>();
  const used: { json: string } = { json: '' };
  const templates = openTemplates(options.store, snapshots, used);
  const host = options.changeAt === undefined ? site.host : `changing-${site.host}`;
  const runs: PageRun[] = [];
  for (const [index, story] of site.stories.entries()) {
    const place = index + 1;
    const changed = options.changeAt !== undefined && place >= options.changeAt;
    const others = site.stories.filter((other) => other !== story);
    const page = makePage(site.layout, story, others, site.seed, host, changed);
    runs.push(await visit(site, page, place, changed, templates, snapshots, used, options.timed));
  }
  await templates.close();
  return runs;
}

function openTemplates(store: Store, snapshots: Map<string, LearningPage>, used: { json: string }): SiteTemplates {
  const worker: TemplateWorker = {
    ...inlineTemplates,
    apply: async (page, template, budget) => {
      used.json = template.json;
      return inlineTemplates.apply(page, template, budget);
    },
  };
  return new SiteTemplates({
    templates: store.siteTemplates,
    learning: store.learning,
    worker,
    extractor: inlineExtractor,
    pages: { read: async (page) => snapshots.get(page.domId) },
    owner: 'bench',
    minConfidence: 0,
    logger: { debug() {}, info() {}, warn: (fields, message) => console.error(message, fields), error: () => {} },
  });
}

async function visit(
  site: Site,
  page: SitePage,
  place: number,
  changed: boolean,
  templates: SiteTemplates,
  snapshots: Map<string, LearningPage>,
  used: { json: string },
  timed: boolean,
): Promise<PageRun> {
  const domId = `dom_${page.url}_${changed}`;
  snapshots.set(domId, { html: page.html, url: page.url });
  const source: PageSource = {
    html: page.html,
    url: page.url,
    contentLanguage: null,
    formats: [],
    projectId: 'prj_bench',
    domId,
  };
  const budget = { timeoutMs: 60_000, signal: new AbortController().signal };
  const { template } = await templates.match(source, budget);
  const outcome = await template.apply(source, budget);
  await templates.settle();
  const generic = await inlineExtractor.extract(source, budget);
  const byTemplate = outcome.templateId.startsWith('tpl_');
  return {
    site: site.host,
    place,
    changed,
    templateId: outcome.templateId,
    fallback: outcome.fallback,
    served: score(site, page, outcome.extraction),
    generic: score(site, page, generic),
    times: timed && byTemplate && place % TIMED_EVERY === 0 ? timePage(page, used.json) : undefined,
  };
}

function score(site: Site, { story }: SitePage, extraction: Extraction): PageScore {
  const { hasTitle, hasAuthor, hasDate } = site.layout;
  return {
    f1: scoreText(story.text, extraction.mainText).f1,
    title: hasTitle ? agreeAsNames(story.title, extraction.title) : undefined,
    author: hasAuthor ? agreeAsNames(story.author, extraction.author) : undefined,
    date: hasDate ? agreeAsDays(story.day, extraction.publishTime) : undefined,
  };
}
