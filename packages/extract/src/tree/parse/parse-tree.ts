import { graftFrames } from './graft-frames.ts';
import { createHider } from '../hiding/find-hidden.ts';
import { StyleSheets } from '../hiding/page-styles.ts';
import { revealParts } from './reveal-parts.ts';
import { isShadowRoot, LightTreeAdapter, type LightNode, type LightNodes } from './light-tree-adapter.ts';
import { hideCodeTools, restoreCode, type CodeTree } from './restore-code.ts';
import { restoreFormula } from './restore-formulas.ts';
import { restorePicture, restorePlayer, restoreSign } from './restore-media.ts';
import { repairEncoding } from './repair-encoding.ts';
import { RunParser } from './run-tokenizer.ts';
import { UnreadText } from './unread-text.ts';
import { CustomBlocks } from './custom-blocks.ts';
import { OTHER, TAG } from '../tags.ts';
import type { Attribute, Tree } from '../tree.ts';

/**
 * Repairs wrongly decoded text, parses a page as a browser without scripts does (with `<noscript>`), and flattens it.
 * Never throws. Omits `<template>` except declarative shadow roots, the inside of `<svg>`, styles, and most scripts
 * other than JSON. Frames of a page with little text of its own are replaced by their documents.
 */
export function parseTree(html: string): Tree {
  const sheets = new StyleSheets();
  let created = 0;
  let hasFrames = false;
  const parse = (text: string): LightNode => {
    const adapter = new LightTreeAdapter();
    const unread = new UnreadText((css) => sheets.read(css));
    const parser = new RunParser<LightNodes>({ scriptingEnabled: false, treeAdapter: adapter }, unread);
    const root = parser.run(normalizeLineEnds(repairEncoding(text)));
    created += adapter.created;
    hasFrames ||= adapter.hasFrames;
    return root;
  };
  const root = parse(html);
  if (hasFrames) graftFrames(root, (frame) => (created < MAX_NODES ? parse(frame) : undefined));
  // A restored formula may need a node for its text.
  const tree = flatten(root, 2 * created);
  restoreCode(tree);
  const hide = createHider(tree, sheets);
  return hideCodeTools(revealParts({ ...tree, hidden: hide(tree) }, sheets, hide));
}

/** Frames of pages with more nodes are not read. */
const MAX_NODES = 1_000_000;

/** Makes every line end an LF, which the tokenizer would do per character. */
function normalizeLineEnds(html: string): string {
  if (!html.includes('\r')) return html;
  const joined = html.replaceAll('\r\n', '\n');
  return joined.includes('\r') ? joined.replaceAll('\r', '\n') : joined;
}

/** Without recursion: pages may nest a hundred thousand elements. */
function flatten(root: LightNode, capacity: number): CodeTree {
  const tag = new Uint8Array(capacity);
  const parent = new Int32Array(capacity);
  const end = new Int32Array(capacity);
  const value: string[] = [];
  const attributes: (readonly Attribute[] | undefined)[] = [];
  let size = 0;
  let above = -1;
  let node: LightNode = root;
  const customs = new CustomBlocks();
  for (;;) {
    restoreFormula(node);
    restorePicture(node);
    restorePlayer(node);
    restoreSign(node);
    const index = size++;
    tag[index] = node.kind === OTHER ? customs.getTag(node) : node.kind;
    parent[index] = above;
    value.push(node.value);
    attributes.push(node.attributes.length > 0 ? node.attributes : undefined);
    const child = getShownChild(node);
    if (child !== null) {
      above = index;
      node = child;
      continue;
    }
    end[index] = size;
    while (node.next === null) {
      if (above < 0) return finish();
      end[above] = size;
      above = parent[above];
      node = getHolder(node.parent!);
    }
    node = node.next;
  }

  function finish(): CodeTree {
    return {
      size,
      tag: tag.subarray(0, size),
      parent: parent.subarray(0, size),
      end: end.subarray(0, size),
      value,
      attributes,
    };
  }
}

function getShownChild(node: LightNode): LightNode | null {
  if (node.kind === TAG.svg) return null;
  if (isShadowRoot(node)) {
    const content = node.content!;
    // Links the fragment to its template, so that the walk finds its way back.
    content.parent = node;
    return content.firstChild;
  }
  return node.firstChild;
}

/** Returns the template of a fragment, else the node itself. */
function getHolder(node: LightNode): LightNode {
  return node.kind < 0 ? node.parent! : node;
}
