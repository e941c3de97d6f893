import type { SiteOutline } from '@winnow/client';
import { useEffect, useRef } from 'react';

export type Block = SiteOutline['blocks'][number];

/** Whether a block counts as content: its mark, else what the extraction keeps. */
export function isContent({ mark, kept }: Block): boolean {
  return mark ?? kept;
}

interface BlockListProps {
  readonly blocks: readonly Block[];
  /** The block that the page shows as chosen. */
  readonly focused: string | undefined;
  readonly onFocus: (id: string) => void;
  readonly onToggle: (ids: readonly string[]) => void;
}

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 };

/** The blocks of a page in order. Arrow keys move, the space bar marks. */
export function BlockList({ blocks, focused, onFocus, onToggle }: BlockListProps) {
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = list.current?.querySelector<HTMLInputElement>(`[data-block="${focused ?? ''}"]`);
    if (box && box !== document.activeElement) box.focus();
  }, [focused]);
  const walk = (event: React.KeyboardEvent): void => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = blocks.findIndex(({ id }) => id === focused);
    const next = blocks[Math.min(blocks.length - 1, Math.max(0, at + step))];
    if (next) onFocus(next.id);
  };
  return (
    <div className="card block-list" role="group" aria-label="Blocks of the page" ref={list} onKeyDown={walk}>
      {blocks.map((block) => (
        <label key={block.id} className={block.heading ? 'block-choice heading' : 'block-choice'}>
          <input
            type="checkbox"
            data-block={block.id}
            checked={isContent(block)}
            onFocus={() => onFocus(block.id)}
            onChange={() => onToggle([block.id])}
          />
          <span dir="auto">{block.text}</span>
        </label>
      ))}
    </div>
  );
}
