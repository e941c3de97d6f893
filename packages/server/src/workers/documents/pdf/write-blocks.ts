import { escapeAttribute, escapeText } from 'entities';
import { textOf, type Block, type BlockCell, type Heading, type Inline } from './build-blocks.ts';

type Item = Extract<Block, { kind: 'item' }>;

export function writeBlocks(blocks: readonly Block[]): string {
  const levels = rankHeadings(blocks);
  let html = '';
  for (let index = 0; index < blocks.length;) {
    const block = blocks[index];
    if (block?.kind === 'item') {
      const items = takeItems(blocks, index);
      html += isList(items) ? writeList(items) : items.map(writeMarked).join('');
      index += items.length;
      continue;
    }
    if (block !== undefined) html += writeBlock(block, levels);
    index += 1;
  }
  return html;
}

function takeItems(blocks: readonly Block[], from: number): Item[] {
  const items: Item[] = [];
  for (let index = from; index < blocks.length; index += 1) {
    const block = blocks[index];
    if (block?.kind !== 'item') break;
    items.push(block);
  }
  return items;
}

/** Tests for consecutive numbers; others are part of the text. */
function isList(items: readonly Item[]): boolean {
  const numbers = items.flatMap(({ marker }) => marker.number ?? []);
  return (
    numbers.length === 0 ||
    (numbers.every((number, index) => index === 0 || number === 1 || number === (numbers[index - 1] ?? 0) + 1) &&
      (items.length > 1 || numbers[0] === 1))
  );
}

function writeMarked({ inlines, marker }: Item): string {
  return `<p>${marker.number === null ? '' : `${marker.number}. `}${writeInlines(inlines)}</p>\n`;
}

/** Nests by indent. */
function writeList(items: readonly Item[]): string {
  const open: { readonly indent: number; readonly tag: string }[] = [];
  let html = '';
  const closeTo = (depth: number): void => {
    while (open.length > depth) html += `</li></${open.pop()?.tag ?? 'ul'}>\n`;
  };
  for (const { inlines, marker, indent, size } of items) {
    const tag = marker.number === null ? 'ul' : 'ol';
    while (open.length > 1 && indent < (open.at(-1)?.indent ?? 0) - 0.5 * size) closeTo(open.length - 1);
    const last = open.at(-1);
    if (last === undefined || indent > last.indent + 0.8 * size) {
      html += openList(tag, marker.number);
      open.push({ indent, tag });
    } else if (last.tag !== tag) {
      closeTo(open.length - 1);
      html += openList(tag, marker.number);
      open.push({ indent, tag });
    } else html += '</li>\n';
    html += `<li>${writeInlines(inlines)}`;
  }
  closeTo(0);
  return html;
}

function openList(tag: string, number: number | null): string {
  return number === null || number === 1 ? `<${tag}>` : `<${tag} start="${number}">`;
}

/** Assigns heading levels by size, then bold. */
function rankHeadings(blocks: readonly Block[]): Map<string, number> {
  const looks = new Map<string, Heading>();
  for (const block of blocks) if (block.kind === 'heading') looks.set(lookOf(block), block);
  const ranked = [...looks].toSorted(
    ([, one], [, other]) => other.size - one.size || Number(other.isBold) - Number(one.isBold),
  );
  return new Map(ranked.map(([look], index) => [look, Math.min(6, index + 1)]));
}

function lookOf({ size, isBold }: Heading): string {
  return `${size} ${isBold}`;
}

function writeBlock(block: Exclude<Block, Item>, levels: ReadonlyMap<string, number>): string {
  if (block.kind === 'heading') {
    const tag = `h${levels.get(lookOf(block)) ?? 6}`;
    return `<${tag}>${writeInlines(block.inlines)}</${tag}>\n`;
  }
  if (block.kind === 'paragraph') return `<p>${writeInlines(block.inlines)}</p>\n`;
  if (block.kind === 'code') return `<pre>\n${escapeText(block.text)}</pre>\n`;
  return `<table>\n${block.rows.map((row) => `<tr>${row.map(writeCell).join('')}</tr>\n`).join('')}</table>\n`;
}

function writeCell({ inlines, colSpan, rowSpan, isHeader }: BlockCell): string {
  const tag = isHeader ? 'th' : 'td';
  const spans = `${colSpan > 1 ? ` colspan="${colSpan}"` : ''}${rowSpan > 1 ? ` rowspan="${rowSpan}"` : ''}`;
  return `<${tag}${spans}>${writeInlines(inlines)}</${tag}>`;
}

function writeInlines(inlines: readonly Inline[]): string {
  return inlines.map(writeInline).join('');
}

/** Moves leading and trailing spaces out of a link. */
function writeInline({ text, href }: Inline): string {
  if (href === undefined) return escapeText(text);
  const label = text.trim();
  const from = text.indexOf(label);
  const [before, after] = [text.slice(0, from), text.slice(from + label.length)];
  return label === '' ? text : `${before}<a href="${escapeAttribute(href)}">${escapeText(label)}</a>${after}`;
}

/** Returns the largest early heading, for a title. */
export function firstHeading(blocks: readonly Block[]): string | undefined {
  const headings = blocks.slice(0, 12).filter((block) => block.kind === 'heading');
  const [largest] = headings.toSorted((one, other) => other.size - one.size);
  return largest === undefined ? undefined : textOf(largest.inlines).trim();
}
