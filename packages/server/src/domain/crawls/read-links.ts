import type { Tree } from '@winnow/extract/templates';

export interface PageLinks {
  readonly links: readonly string[];
  readonly canonical: string | undefined;
  /** Links after the first {@link MAX_LINKS}. */
  readonly leftOut: number;
}

const MAX_LINKS = 10_000;

const NO_FOLLOW = /\b(?:nofollow|none)\b/i;

/** Reads the links of a page that may be followed, as absolute addresses. */
export function readLinks({ size, value, attributes }: Tree, pageUrl: string): PageLinks {
  const links = new Set<string>();
  let base = pageUrl;
  let canonical: string | undefined;
  let mayFollow = true;
  let leftOut = 0;
  for (let node = 1; node < size; node++) {
    const list = attributes[node];
    if (list === undefined) continue;
    const name = value[node];
    const read = (wanted: string): string | undefined => list.find((attribute) => attribute.name === wanted)?.value;
    const href = (): string => read('href')?.trim() ?? '';
    if (name === 'meta') {
      if (read('name')?.trim().toLowerCase() === 'robots') mayFollow &&= !NO_FOLLOW.test(read('content') ?? '');
    } else if (name === 'base') base = URL.parse(href(), pageUrl)?.href ?? base;
    else if (name === 'link') {
      if (isOf(read('rel'), 'canonical')) canonical ??= URL.parse(href(), base)?.href;
    } else if ((name === 'a' || name === 'area') && read('href') !== undefined && !isOf(read('rel'), 'nofollow')) {
      const url = URL.parse(href(), base);
      if (url === null) continue;
      url.hash = '';
      if (links.size < MAX_LINKS) links.add(url.href);
      else if (!links.has(url.href)) leftOut += 1;
    }
  }
  return mayFollow ? { links: [...links], canonical, leftOut } : { links: [], canonical, leftOut: 0 };
}

function isOf(rel: string | undefined, wanted: string): boolean {
  return rel !== undefined && rel.toLowerCase().split(/\s+/).includes(wanted);
}
