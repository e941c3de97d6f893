import { Parser } from 'htmlparser2';

export interface PageLinks {
  readonly links: readonly string[];
  readonly canonical: string | undefined;
  /** Links after the first {@link MAX_LINKS}. */
  readonly leftOut: number;
}

/** Different links of one page. */
const MAX_LINKS = 10_000;

/** Characters parsed before other work gets its turn. */
const SLICE = 64 * 1024;

const LINKS = new Set(['a', 'area']);

/** Reads the links of a page that may be followed, as absolute addresses, without extracting its content. */
export async function readLinks(html: string, pageUrl: string): Promise<PageLinks> {
  const links = new Set<string>();
  let base = pageUrl;
  let canonical: string | undefined;
  let mayFollow = true;
  let leftOut = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      const href = attributes['href']?.trim();
      const rel = attributes['rel']?.toLowerCase().split(/\s+/) ?? [];
      if (name === 'meta' && attributes['name']?.toLowerCase() === 'robots')
        mayFollow &&= !/\b(?:nofollow|none)\b/i.test(attributes['content'] ?? '');
      if (href === undefined) return;
      if (name === 'base') base = URL.parse(href, pageUrl)?.href ?? base;
      else if (name === 'link' && rel.includes('canonical')) canonical ??= URL.parse(href, base)?.href;
      else if (LINKS.has(name) && !rel.includes('nofollow')) {
        const url = URL.parse(href, base);
        if (url === null) return;
        url.hash = '';
        if (links.size < MAX_LINKS) links.add(url.href);
        else if (!links.has(url.href)) leftOut += 1;
      }
    },
  });
  for (let start = 0; start < html.length; start += SLICE) {
    parser.write(html.slice(start, start + SLICE));
    await new Promise((resolve) => setImmediate(resolve));
  }
  parser.end();
  return mayFollow ? { links: [...links], canonical, leftOut } : { links: [], canonical, leftOut: 0 };
}
