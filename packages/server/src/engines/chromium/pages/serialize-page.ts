import { randomUUID } from 'node:crypto';
import type { Protocol } from 'devtools-protocol/types/protocol.js';
import { isXmlType } from '../../shared/content-type.ts';
import { DevtoolsError, type DevtoolsSession } from '../devtools/devtools-connection.ts';
import { isOutline, OUTLINE_SCRIPT } from './outline-script.ts';
import { UNRENDERED_ATTRIBUTE } from './unrendered-scripts.ts';
import { readMarked, type MarkedPage } from './mark-unrendered.ts';
import { writeSrcdoc } from '../../shared/write-srcdoc.ts';
import { toHtmlSyntax } from '../../shared/xhtml.ts';

const MAX_FRAMES = 20;
const MARKER = 'data-winnow-frame';
const MARKS = new RegExp(` ${MARKER}="([0-9a-f-]{36})"`, 'g');
/** Characters. Frames of other origins are read if the page has less text of its own. */
const LITTLE_TEXT = 400;
/** In CSS pixels; smaller frames show nothing. */
const LEAST_SIZE = 2;

export interface SerializeLimits {
  /** Including frames. */
  readonly maxCharacters: number;
  readonly tooLarge: () => Error;
}

export interface SerializedPage {
  readonly html: string;
  /** Changes when the page navigates. */
  readonly loaderId: string;
}

/**
 * Serialises doctype, light DOM and shadow roots (as declarative templates) without running scripts of the page.
 * Same-origin frames are in `srcdoc`; those of other origins only if the page has little text of its own.
 * @throws the error of `tooLarge`
 */
export async function serializePage(page: MarkedPage, limits: SerializeLimits): Promise<SerializedPage> {
  const { session } = page;
  const [{ frameTree }, { root }] = await Promise.all([
    session.send('Page.getFrameTree'),
    session.send('DOM.getDocument', { depth: 0 }),
  ]);
  const frames = await markFrames(session, await chooseFrames(page, frameTree));
  let length = 0;
  const read = async (node: { nodeId: number } | { backendNodeId: number }, mimeType: string): Promise<string> => {
    const params = { ...node, includeShadowDOM: true };
    const { outerHTML } = await session.send('DOM.getOuterHTML', params);
    length += outerHTML.length;
    if (length > limits.maxCharacters) throw limits.tooLarge();
    // Chromium serialises XHTML as XML.
    return isXmlType(mimeType) ? toHtmlSyntax(outerHTML) : outerHTML;
  };
  const { id, loaderId, mimeType } = frameTree.frame;
  const readAll = async (): Promise<string> => {
    length = 0;
    const html = await read({ nodeId: root.nodeId }, mimeType);
    const documents: FrameDocument[] = [];
    // Sequential, which bounds the memory.
    for (const { backendNodeId, ...frame } of frames) {
      const text = await read({ backendNodeId }, frame.mimeType).catch(unlessGone);
      if (text !== undefined) documents.push({ ...frame, html: text });
    }
    return frames.length > 0 ? insertFrames(id, html, documents, limits) : html;
  };
  return { html: await readMarked(page, readAll), loaderId };
}

export function unlessGone(error: unknown): undefined {
  if (!(error instanceof DevtoolsError)) throw error;
}

interface PageFrame {
  readonly id: string;
  readonly parentId: string;
  readonly mimeType: string;
}

async function chooseFrames(page: MarkedPage, tree: Protocol.Page.FrameTree): Promise<PageFrame[]> {
  const own = listFrames(tree, isOwnOf(tree));
  const all = listFrames(tree, () => true);
  if (all.length === own.length) return own;
  const answer = await page.evaluate(OUTLINE_SCRIPT).catch(unlessGone);
  return isOutline(answer) && answer.ownText < LITTLE_TEXT ? all : own;
}

function isOwnOf(tree: Protocol.Page.FrameTree): (frame: Protocol.Page.FrameTree) => boolean {
  const origin = URL.parse(tree.frame.url)?.origin;
  return ({ frame }) => frame.url.startsWith('about:') || URL.parse(frame.url)?.origin === origin;
}

/** Lists the frames of other origins than the page's, and those in them. */
export function listForeignFrames(tree: Protocol.Page.FrameTree): PageFrame[] {
  const own = new Set(listFrames(tree, isOwnOf(tree)).map(({ id }) => id));
  return listFrames(tree, () => true).filter(({ id }) => !own.has(id));
}

/** Lists frames, parents first. */
function listFrames(tree: Protocol.Page.FrameTree, isWanted: (frame: Protocol.Page.FrameTree) => boolean): PageFrame[] {
  const collect = ({ frame, childFrames = [] }: Protocol.Page.FrameTree): PageFrame[] =>
    childFrames
      .filter(isWanted)
      .flatMap((child) => [
        { id: child.frame.id, parentId: frame.id, mimeType: child.frame.mimeType },
        ...collect(child),
      ]);
  return collect(tree).slice(0, MAX_FRAMES);
}

interface MarkedFrame extends PageFrame {
  readonly mark: string;
  readonly backendNodeId: number;
  readonly isShown: boolean;
}

interface FrameDocument extends PageFrame {
  readonly mark: string;
  readonly isShown: boolean;
  readonly html: string;
}

async function markFrames(session: DevtoolsSession, frames: readonly PageFrame[]): Promise<MarkedFrame[]> {
  const marked: MarkedFrame[] = [];
  for (const frame of frames) {
    const mark = randomUUID();
    const found = await markFrame(session, frame.id, mark).catch(() => undefined);
    if (found !== undefined) marked.push({ ...frame, ...found, mark });
  }
  return marked;
}

async function markFrame(
  session: DevtoolsSession,
  frameId: string,
  mark: string,
): Promise<Pick<MarkedFrame, 'backendNodeId' | 'isShown'> | undefined> {
  const owner = await session.send('DOM.getFrameOwner', { frameId });
  const { node } = await session.send('DOM.describeNode', {
    backendNodeId: owner.backendNodeId,
    depth: 1,
    pierce: true,
  });
  const { nodeIds } = await session.send('DOM.pushNodesByBackendIdsToFrontend', {
    backendNodeIds: [owner.backendNodeId],
  });
  const [nodeId] = nodeIds;
  if (nodeId === undefined) return undefined;
  await session.send('DOM.setAttributeValue', { nodeId, name: MARKER, value: mark });
  if (node.contentDocument === undefined) return undefined;
  const isShown = await session.send('DOM.getBoxModel', { backendNodeId: owner.backendNodeId }).then(
    ({ model }) => model.width >= LEAST_SIZE && model.height >= LEAST_SIZE,
    () => false,
  );
  return { backendNodeId: node.contentDocument.backendNodeId, isShown };
}

/** The page may copy the marks, so each counts once and only in the frame's parent. */
function insertFrames(
  rootId: string,
  rootHtml: string,
  documents: readonly FrameDocument[],
  { maxCharacters, tooLarge }: SerializeLimits,
): string {
  /** By mark, not yet inserted. */
  const complete = new Map<string, FrameDocument>();
  const fill = (id: string, html: string): string => {
    let length = html.length;
    let written = '';
    let kept = 0;
    for (const { 0: text, 1: mark = '', index } of html.matchAll(MARKS)) {
      const inner = complete.get(mark);
      if (inner?.parentId === id) {
        complete.delete(mark);
        const hiding = inner.isShown ? '' : ` ${UNRENDERED_ATTRIBUTE}=""`;
        const own = findSrcdoc(html, kept, index);
        length += hiding.length - (own.end - own.start);
        const attribute = writeSrcdoc(inner.html, maxCharacters - length);
        if (attribute === undefined) throw tooLarge();
        length += attribute.length;
        written += html.slice(kept, own.start) + html.slice(own.end, index) + attribute + hiding;
      } else written += html.slice(kept, index);
      kept = index + text.length;
    }
    return written + html.slice(kept);
  };
  for (const { id, html, ...place } of documents.toReversed()) {
    complete.set(place.mark, { id, ...place, html: fill(id, html) });
  }
  return fill(rootId, rootHtml);
}

/** Returns the range of the frame's own `srcdoc`; empty if there is none. */
function findSrcdoc(html: string, from: number, end: number): { readonly start: number; readonly end: number } {
  for (let at = end; html[at - 1] === '"';) {
    const open = html.lastIndexOf('"', at - 2);
    const start = html.lastIndexOf(' ', open);
    if (start < from || html[open - 1] !== '=') break;
    if (html.slice(start + 1, open - 1) === 'srcdoc') return { start, end: at };
    at = start;
  }
  return { start: end, end };
}
