import type { DevtoolsSession } from './devtools-connection.ts';

interface FrameTree {
  readonly frame: { readonly id: string; readonly url: string };
  readonly childFrames?: readonly FrameTree[];
}

interface FrameNode {
  readonly node: { readonly backendNodeId: number; readonly contentDocument?: { readonly backendNodeId: number } };
}

const MAX_FRAMES = 20;
const MARKER = 'data-winnow-frame';

/**
 * The page's document as HTML: doctype, light DOM and shadow roots of every kind (as declarative
 * templates), without running any script of the page. Frames that the page may itself look into (same
 * origin, `srcdoc`, `about:blank`) carry their document in `srcdoc`; frames of other origins stay as
 * they are.
 */
export async function serializePage(session: DevtoolsSession): Promise<string> {
  const { frameTree } = await session.send<{ frameTree: FrameTree }>('Page.getFrameTree');
  const { root } = await session.send<{ root: { nodeId: number } }>('DOM.getDocument', { depth: 0 });
  const frames = ownFrames(frameTree);
  const documents = frames.length > 0 ? await markFrames(session, frames) : [];
  const html = await outerHtml(session, { nodeId: root.nodeId });
  return documents.length > 0 ? insertFrames(html, documents) : html;
}

async function outerHtml(
  session: DevtoolsSession,
  node: { nodeId: number } | { backendNodeId: number },
): Promise<string> {
  const params = { ...node, includeShadowDOM: true };
  return (await session.send<{ outerHTML: string }>('DOM.getOuterHTML', params)).outerHTML;
}

/** Frames below the page that share its origin, in document order, inner ones behind their parents. */
function ownFrames(tree: FrameTree): FrameTree[] {
  const origin = URL.parse(tree.frame.url)?.origin;
  const isOwn = ({ frame }: FrameTree): boolean =>
    frame.url.startsWith('about:') || URL.parse(frame.url)?.origin === origin;
  const collect = (node: FrameTree): FrameTree[] =>
    (node.childFrames ?? []).filter(isOwn).flatMap((child) => [child, ...collect(child)]);
  return collect(tree).slice(0, MAX_FRAMES);
}

interface FrameDocument {
  readonly mark: string;
  readonly html: string;
}

/** Marks the element of each frame, so that it is found again in the text, and serialises the frame's document. */
async function markFrames(session: DevtoolsSession, frames: readonly FrameTree[]): Promise<FrameDocument[]> {
  const marked: { mark: string; backendNodeId: number }[] = [];
  for (const [index, { frame }] of frames.entries()) {
    const mark = `${frame.id}-${index}`;
    const backendNodeId = await markFrame(session, frame.id, mark).catch(() => undefined);
    if (backendNodeId !== undefined) marked.push({ mark, backendNodeId });
  }
  const documents = marked.map(async ({ mark, backendNodeId }) => ({
    mark,
    html: await outerHtml(session, { backendNodeId }),
  }));
  const settled = await Promise.allSettled(documents);
  return settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
}

async function markFrame(session: DevtoolsSession, frameId: string, mark: string): Promise<number | undefined> {
  const owner = await session.send<{ backendNodeId: number }>('DOM.getFrameOwner', { frameId });
  const { node } = await session.send<FrameNode>('DOM.describeNode', {
    backendNodeId: owner.backendNodeId,
    depth: 1,
    pierce: true,
  });
  const { nodeIds } = await session.send<{ nodeIds: number[] }>('DOM.pushNodesByBackendIdsToFrontend', {
    backendNodeIds: [owner.backendNodeId],
  });
  await session.send('DOM.setAttributeValue', { nodeId: nodeIds[0], name: MARKER, value: mark });
  return node.contentDocument?.backendNodeId;
}

/** Puts each frame's document in the place of its mark; inner frames first, as their marks are in the outer ones. */
function insertFrames(html: string, documents: readonly FrameDocument[]): string {
  const text = new Map(documents.map((document) => [document.mark, document.html]));
  const insert = (source: string): string =>
    source.replace(new RegExp(` ${MARKER}="([^"]+)"`, 'g'), (_, mark: string) => {
      const inner = text.get(mark);
      return inner === undefined ? '' : ` srcdoc="${escapeAttribute(insert(inner))}"`;
    });
  return insert(html);
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}
