import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

const OUTCOMES = { copied: 'Copied', failed: 'Not copied' } as const;

interface CopyButtonProps {
  readonly text: string;
  /** Name of the copied text, for screen readers. */
  readonly what: string;
  readonly label?: string;
}

export function CopyButton({ text, what, label }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (outcome === undefined) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async (): Promise<void> => setOutcome((await copyText(text)) ? 'copied' : 'failed');
  return (
    <button type="button" className="button small" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      {outcome === 'copied' ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      <span aria-live="polite">{outcome === undefined ? (label ?? 'Copy') : OUTCOMES[outcome]}</span>
    </button>
  );
}

/**
 * Copies a text; returns whether it worked. The clipboard API needs a secure page and may be refused; then a selection
 * is copied.
 */
async function copyText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // Refused: tries the older way below.
    }
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('readonly', '');
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  // oxlint-disable-next-line typescript/no-deprecated -- the only way without a secure page
  const copied = document.execCommand('copy');
  area.remove();
  return copied;
}

export function CopyableId({ id, what }: { readonly id: string; readonly what: string }) {
  return (
    <span className="row">
      <code>{id}</code>
      <CopyButton text={id} what={what} />
    </span>
  );
}
