import type { Definition, List, Nodes, Root, RootContent } from 'mdast';
import type { Chunk, ChunkOptions } from '../../types/extraction.ts';
import { readPlainText } from './apply-markdown-options.ts';
import { splitText } from './split-text.ts';

const MAX_HEADING = 120;
/** Characters between two blocks. */
const GAP = 2;

interface Section {
  readonly path: readonly string[];
  readonly depth: number;
  readonly blocks: RootContent[];
}

type Write = (blocks: RootContent[]) => string;

/**
 * Divides a document at its headings, and longer sections at the limit. The chunks contain the whole text in order. A
 * heading without text joins the section below it. With references, a chunk ends with the addresses of its links.
 */
export function chunkMarkdown(document: Root, { maxCharacters }: ChunkOptions, write: Write): Chunk[] {
  const definitions = new Map<string, Definition>();
  for (const node of document.children) if (node.type === 'definition') definitions.set(node.identifier, node);
  const chunks: Chunk[] = [];
  for (const { path, blocks } of joinBareHeadings(listSections(document), write, maxCharacters)) {
    for (const text of divide(blocks, definitions, write, maxCharacters))
      chunks.push({ heading_path: [...path], text });
  }
  return chunks;
}

function listSections({ children }: Root): Section[] {
  const sections: Section[] = [{ path: [], depth: 0, blocks: [] }];
  const open: { depth: number; text: string }[] = [];
  for (const node of children) {
    if (node.type === 'definition') continue;
    if (node.type === 'heading') {
      while (open.length > 0 && open.at(-1)!.depth >= node.depth) open.pop();
      open.push({ depth: node.depth, text: readPlainText(node).slice(0, MAX_HEADING).toWellFormed() });
      sections.push({ path: open.map(({ text }) => text), depth: node.depth, blocks: [node] });
    } else sections.at(-1)!.blocks.push(node);
  }
  return sections.filter(({ blocks }) => blocks.length > 0);
}

function joinBareHeadings(sections: readonly Section[], write: Write, limit: number): Section[] {
  const joined: Section[] = [];
  for (const section of sections) {
    const before = joined.at(-1);
    const isBare = before !== undefined && before.blocks.every(({ type }) => type === 'heading');
    const isSubsection = before !== undefined && section.depth > before.depth;
    if (
      isBare &&
      isSubsection &&
      write(before.blocks).length + GAP + write(section.blocks.slice(0, 1)).length <= limit / 2
    ) {
      joined.pop();
      joined.push({ ...section, blocks: [...before.blocks, ...section.blocks] });
    } else joined.push(section);
  }
  return joined;
}

/** Packs blocks into as few texts as the limit allows. */
function divide(
  blocks: readonly RootContent[],
  definitions: ReadonlyMap<string, Definition>,
  write: Write,
  limit: number,
): string[] {
  const texts: string[] = [];
  let group: RootContent[] = [];
  const used = new Set<Definition>();
  let length = 0;
  const finish = (): void => {
    if (group.length > 0) for (const text of writeWithin([...group, ...used], write, limit)) texts.push(text);
    group = [];
    used.clear();
    length = 0;
  };
  for (const block of blocks.flatMap((one) => divideBlock(one, write, limit))) {
    const size = write([block, ...listDefinitions(block, definitions, used)]).length + GAP;
    if (length > 0 && length + size > limit) finish();
    group.push(block);
    for (const definition of listDefinitions(block, definitions, used)) used.add(definition);
    length += size;
  }
  finish();
  return texts;
}

function listDefinitions(
  block: RootContent,
  definitions: ReadonlyMap<string, Definition>,
  used: ReadonlySet<Definition>,
): Definition[] {
  if (definitions.size === 0) return [];
  const found = new Set<Definition>();
  const visit = (node: Nodes): void => {
    const definition = node.type === 'linkReference' ? definitions.get(node.identifier) : undefined;
    if (definition !== undefined && !used.has(definition)) found.add(definition);
    if ('children' in node) for (const child of node.children) visit(child);
  };
  visit(block);
  return [...found];
}

function writeWithin(group: RootContent[], write: Write, limit: number): string[] {
  const text = write(group);
  return text === '' ? [] : splitText(text, limit);
}

/** Splits a list into as few lists as the limit allows: no two fit in one chunk. */
function divideList(list: List, write: Write, limit: number): List[] {
  const parts: List[] = [];
  let length = 0;
  for (const [index, item] of list.children.entries()) {
    const size = write([{ ...list, children: [item] }]).length + GAP;
    const part = parts.at(-1);
    if (part !== undefined && length + size <= limit) {
      part.children.push(item);
      length += size;
      continue;
    }
    parts.push({
      ...list,
      ...(list.ordered === true ? { start: (list.start ?? 1) + index } : {}),
      children: [item],
    });
    length = size;
  }
  return parts;
}

function divideBlock(block: RootContent, write: Write, limit: number): RootContent[] {
  if (block.type !== 'list' && block.type !== 'code') return [block];
  if (write([block]).length <= limit) return [block];
  if (block.type === 'list') {
    return divideList(block, write, limit);
  }
  const fence = write([{ ...block, value: '' }]).length + GAP;
  return splitText(block.value, Math.max(1, limit - fence)).map((value) => ({ ...block, value }));
}
