import type { Box, TextRun } from './page-content.ts';
import { splitRun } from './split-run.ts';

export interface Link extends Box {
  readonly href: string;
}

/** Height of the index's strips, in points. */
const STRIP = 20;

/** Assigns links to the runs below them; splits partly linked runs. */
export function linkRuns(runs: readonly TextRun[], links: readonly Link[]): TextRun[] {
  if (links.length === 0) return [...runs];
  const strips = new Map<number, Link[]>();
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

function cut(run: TextRun, links: readonly Link[]): TextRun[] {
  const edges = links.flatMap(({ x0, x1 }) => [x0, x1]).filter((x) => x > run.x0 + 1 && x < run.x1 - 1);
  return splitRun(run, edges).map((part) => {
    const middle = (part.x0 + part.x1) / 2;
    const link = links.find(({ x0, x1 }) => x0 <= middle && middle <= x1);
    return link === undefined ? part : { ...part, href: link.href };
  });
}
