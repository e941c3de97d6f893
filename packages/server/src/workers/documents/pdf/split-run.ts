import type { TextRun, Box } from './page-content.ts';

/** Narrow and wide letters with their usual relative width. */
const WIDTHS: readonly (readonly [RegExp, number])[] = [
  [/[ iljtfrI.,;:'|!()[\]-]/, 0.55],
  [/[mwMW]/, 1.5],
  [/[A-Z]/, 1.25],
];

function widthOf(letter: string): number {
  return WIDTHS.find(([letters]) => letters.test(letter))?.[1] ?? 1;
}

/** Splits a run between words, close to each edge. Positions of letters are estimated from usual widths. */
export function splitRun(run: TextRun, edges: readonly number[]): TextRun[] {
  if (edges.length === 0) return [run];
  const letters = Array.from(run.text);
  const total = letters.reduce((sum, letter) => sum + widthOf(letter), 0);
  const scale = (run.x1 - run.x0) / Math.max(total, 1);
  /** Starts of words, with their positions on the line. */
  const boundaries: { at: number; x: number }[] = [];
  let passed = 0;
  for (const [at, letter] of letters.entries()) {
    const isStart = at > 0 && (letter === ' ') !== (letters[at - 1] === ' ');
    if (isStart) boundaries.push({ at, x: run.isRtl ? run.x1 - passed * scale : run.x0 + passed * scale });
    passed += widthOf(letter);
  }
  const chosen = new Map<number, number>();
  for (const edge of edges) {
    const [best] = boundaries.toSorted((one, other) => Math.abs(one.x - edge) - Math.abs(other.x - edge));
    if (best !== undefined && Math.abs(best.x - edge) < 3 * run.size) chosen.set(best.at, best.x);
  }
  const cuts = [...chosen].toSorted(([one], [other]) => one - other);
  return slice(run, letters, cuts);
}

function slice(run: TextRun, letters: readonly string[], cuts: readonly (readonly [number, number])[]): TextRun[] {
  const parts: TextRun[] = [];
  let from = 0;
  let x = run.isRtl ? run.x1 : run.x0;
  const end = run.isRtl ? run.x0 : run.x1;
  for (const [at, edge] of [...cuts, [letters.length, end] as const]) {
    const text = letters.slice(from, at).join('');
    const hasSpaceBefore = from === 0 ? run.hasSpaceBefore : letters[from - 1] === ' ' || text.startsWith(' ');
    if (text.trim() !== '') parts.push({ ...run, text, x0: Math.min(x, edge), x1: Math.max(x, edge), hasSpaceBefore });
    from = at;
    x = edge;
  }
  return parts;
}

export interface PdfLink extends Box {
  readonly href: string;
}

/** Height of the index's strips, in points. */
const STRIP = 20;

/** Assigns links to the runs below them; splits partly linked runs. */
export function linkRuns(runs: readonly TextRun[], links: readonly PdfLink[]): TextRun[] {
  if (links.length === 0) return [...runs];
  const strips = new Map<number, PdfLink[]>();
  for (const link of links) {
    for (let strip = Math.floor(link.y0 / STRIP); strip <= Math.min(link.y1 / STRIP, link.y0 / STRIP + 100); strip += 1)
      strips.set(strip, [...(strips.get(strip) ?? []), link]);
  }
  return runs.flatMap((run) => {
    const middle = run.y - run.size * 0.3;
    const near = (strips.get(Math.floor(middle / STRIP)) ?? []).filter(
      ({ x0, x1, y0, y1 }) => y0 <= middle && middle <= y1 && x0 < run.x1 && x1 > run.x0,
    );
    return near.length === 0 ? [run] : cut(run, near);
  });
}

function cut(run: TextRun, links: readonly PdfLink[]): TextRun[] {
  const edges = links.flatMap(({ x0, x1 }) => [x0, x1]).filter((x) => x > run.x0 + 1 && x < run.x1 - 1);
  return splitRun(run, edges).map((part) => {
    const middle = (part.x0 + part.x1) / 2;
    const link = links.find(({ x0, x1 }) => x0 <= middle && middle <= x1);
    return link === undefined ? part : { ...part, href: link.href };
  });
}
