import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';

interface CopyButtonProps {
  readonly text: string;
  /** What is copied, for those who do not see where the button stands. */
  readonly what: string;
  readonly label?: string;
}

export function CopyButton({ text, what, label }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return undefined;
    const timer = setTimeout(() => setCopied(false), 2000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = async (): Promise<void> => {
    await copyText(text);
    setCopied(true);
  };
  return (
    <button type="button" className="button small" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      {copied ? <Check size={14} aria-hidden="true" /> : <Copy size={14} aria-hidden="true" />}
      <span aria-live="polite">{copied ? 'Copied' : (label ?? 'Copy')}</span>
    </button>
  );
}

/** The clipboard interface exists on secure pages only; a plain-http console falls back to a selection. */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const area = document.createElement('textarea');
  area.value = text;
  area.setAttribute('readonly', '');
  area.className = 'visually-hidden';
  document.body.append(area);
  area.select();
  // oxlint-disable-next-line typescript/no-deprecated -- the only way without a secure page
  document.execCommand('copy');
  area.remove();
}

/** An id with its copy button. */
export function CopyableId({ id, what }: { readonly id: string; readonly what: string }) {
  return (
    <span className="row">
      <code>{id}</code>
      <CopyButton text={id} what={what} />
    </span>
  );
}
