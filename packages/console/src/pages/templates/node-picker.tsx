import { useRef } from 'react';
import { storedPageUrl } from '../../components/data/stored-page.tsx';
import { useProject } from '../../lib/project.tsx';
import type { StoredDocument } from '../../lib/stored-document.ts';

interface NodePickerProps {
  readonly domId: string;
  readonly page: StoredDocument;
  readonly marks: Readonly<Record<string, readonly number[]>>;
  readonly picked: number | undefined;
  readonly onPick: (node: number) => void;
}

const STEPS: Readonly<Record<string, (element: Element) => Element | null>> = {
  ArrowUp: (element) => element.parentElement,
  ArrowDown: (element) => element.firstElementChild,
  ArrowLeft: (element) => element.previousElementSibling,
  ArrowRight: (element) => element.nextElementSibling,
};

/**
 * A stored page under a transparent layer that receives the clicks and finds the node below. The frame has no scripts and
 * no access to the console.
 */
export function NodePicker({ domId, page, marks, picked, onPick }: NodePickerProps) {
  const project = useProject();
  const frame = useRef<HTMLIFrameElement>(null);
  const pickAt = (event: React.MouseEvent<HTMLButtonElement>): void => {
    // Keyboard clicks have no position.
    if (event.detail === 0) return;
    const box = event.currentTarget.getBoundingClientRect();
    const below = frame.current?.contentDocument?.elementFromPoint(event.clientX - box.left, event.clientY - box.top);
    const node = Number(below?.closest('[data-node]')?.getAttribute('data-node') ?? Number.NaN);
    if (Number.isInteger(node)) onPick(node);
  };
  const scroll = (event: React.WheelEvent): void => {
    frame.current?.contentWindow?.scrollBy(0, event.deltaY);
  };
  const walk = (event: React.KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const from = picked === undefined ? page.document.body : page.elements[picked];
    const next = from && step(from);
    if (next && page.document.body.contains(next)) onPick(page.numberOf(next));
  };
  const shown = picked === undefined ? marks : { ...marks, main: [picked] };
  return (
    <div className="picker">
      <iframe
        ref={frame}
        className="frame"
        title="Stored page"
        sandbox="allow-same-origin"
        tabIndex={-1}
        src={storedPageUrl(project.id, { domId, title: '', marks: shown }, 'pick')}
      />
      <button
        type="button"
        className="glass"
        aria-label="Click the right node; arrow keys move between nodes"
        onClick={pickAt}
        onWheel={scroll}
        onKeyDown={walk}
      />
    </div>
  );
}
