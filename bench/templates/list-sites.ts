import { listPageIds, readHtml, readPage } from '../quality/benchmark-page.ts';
import { type Layout, readLayout, type Story } from './make-site.ts';
import { SeededRandom } from './seeded-random.ts';

export interface Site {
  readonly host: string;
  readonly layout: Layout;
  readonly stories: readonly Story[];
  readonly seed: number;
}

/** Chooses layouts by the seed, and different stories for each. */
export function listSites(folder: string, count: number, pagesPerSite: number, seed: number): Site[] {
  const random = new SeededRandom(seed);
  const ids = random.shuffle(listPageIds(folder));
  const stories = listStories(folder, ids);
  if (stories.length <= pagesPerSite)
    throw new Error(`${folder} has only ${stories.length} pages with title, author, date and text`);
  const sites: Site[] = [];
  for (const id of ids) {
    if (sites.length === count) break;
    const layout = readLayout(readPage(folder, id), readHtml(folder, id));
    if (layout === undefined) continue;
    const own = random.shuffle(stories.filter((story) => story.id !== id)).slice(0, pagesPerSite);
    sites.push({ host: `site-${sites.length + 1}.example`, layout, stories: own, seed: random.between(1, 1_000_000) });
  }
  return sites;
}

/** A name of two to four words; account names, addresses and lists of people are excluded. */
const ONE_PERSON = /^\p{Lu}[\p{L}'’.-]+(?: (?!and )[\p{L}'’.-]+){1,3}$/u;

/** Returns the pages with all fields of a story and 120 to 4,000 words. */
function listStories(folder: string, ids: readonly string[]): (Story & { id: string })[] {
  const stories: (Story & { id: string })[] = [];
  const titles = new Set<string>();
  for (const id of ids) {
    const { truth } = readPage(folder, id);
    const { title, author, publishDate, mainContent } = truth;
    if (title === null || author === null || publishDate === null || titles.has(title)) continue;
    if (!/^\d{4}-\d\d-\d\d$/.test(publishDate) || !ONE_PERSON.test(author)) continue;
    const words = mainContent.split(/\s+/).length;
    if (words < 120 || words > 4_000) continue;
    titles.add(title);
    stories.push({ id, title, author, day: publishDate, text: mainContent });
  }
  return stories;
}
