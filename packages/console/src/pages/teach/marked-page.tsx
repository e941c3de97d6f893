import { useEffect, useMemo, useRef, useState } from 'react';
import { storedPageUrl } from '../../components/data/stored-page.tsx';
import { useProject } from '../../lib/project.tsx';
import type { StoredDocument } from '../../lib/stored-document.ts';
import { isContent, type Block } from './block-list.tsx';

interface MarkedPageProps {
  readonly domId: string;
  readonly page: StoredDocument;
  readonly blocks: readonly Block[];
  readonly focused: string | undefined;
  readonly onToggle: (ids: readonly string[]) => void;
}

/** A stored page with its content outlined. A click marks the block below it. */
export function MarkedPage({ domId, page, blocks, focused, onToggle }: MarkedPageProps) {
  const project = useProject();
  const frame = useRef<HTMLIFrameElement>(null);
  const [loaded, setLoaded] = useState(0);
  const nodes = useMemo(() => numberBlocks(page, blocks), [page, blocks]);
  useEffect(() => {
    for (const element of frame.current?.contentDocument?.querySelectorAll('[data-mark]') ?? [])
      element.removeAttribute('data-mark');
    for (const [node, group] of nodes) {
      // The outline of an element covers the blocks inside it.
      const element = findNode(frame.current, node);
      if (group.some(isContent) && element && !hasOther(element, nodes)) element.setAttribute('data-mark', 'main');
    }
  }, [nodes, loaded]);
  useEffect(() => {
    const chosen = [...nodes].find(([, group]) => group.some(({ id }) => id === focused))?.[0];
    const element = chosen === undefined ? undefined : findNode(frame.current, chosen);
    const view = frame.current?.contentWindow;
    if (!element || !view) return;
    const { top, bottom } = element.getBoundingClientRect();
    if (top < 0 || bottom > view.innerHeight) view.scrollBy(0, top - view.innerHeight / 3);
  }, [focused, nodes, loaded]);
  const toggleAt = (event: React.MouseEvent): void => {
    const box = event.currentTarget.getBoundingClientRect();
    let element = frame.current?.contentDocument?.elementFromPoint(event.clientX - box.left, event.clientY - box.top);
    for (; element; element = element.parentElement) {
      const group = nodes.get(Number(element.getAttribute('data-node') ?? Number.NaN));
      if (group) return onToggle(group.map(({ id }) => id));
    }
  };
  return (
    <div className="picker">
      <iframe
        ref={frame}
        className="frame"
        title="Stored page with its content outlined"
        sandbox="allow-same-origin"
        tabIndex={-1}
        src={storedPageUrl(project.id, { domId, title: '' }, 'pick')}
        onLoad={() => setLoaded((count) => count + 1)}
      />
      <div
        className="glass"
        aria-hidden="true"
        onClick={toggleAt}
        onWheel={(event) => frame.current?.contentWindow?.scrollBy(0, event.deltaY)}
      />
    </div>
  );
}

const WITHOUT_NUMBERS = 'svg, math';

/** Blocks by the number of their element in the preview, which also counts the elements inside drawings. */
function numberBlocks(page: StoredDocument, blocks: readonly Block[]): Map<number, Block[]> {
  const elements = page.elements.filter((element) => !element.parentElement?.closest(WITHOUT_NUMBERS));
  return Map.groupBy(blocks, ({ node }) => {
    const element = elements[node];
    return element ? page.numberOf(element) : -1;
  });
}

function findNode(frame: HTMLIFrameElement | null, node: number): Element | undefined {
  return frame?.contentDocument?.querySelector(`[data-node="${node}"]`) ?? undefined;
}

function hasOther(element: Element, nodes: ReadonlyMap<number, unknown>): boolean {
  return [...element.querySelectorAll('[data-node]')].some((inner) =>
    nodes.has(Number(inner.getAttribute('data-node'))),
  );
}
