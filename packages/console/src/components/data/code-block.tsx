import { CopyButton } from '../controls/copy-button.tsx';

interface CodeBlockProps {
  readonly text: string;
  /** Name of the block and of the copied text. */
  readonly what: string;
  readonly wrap?: boolean;
}

export function CodeBlock({ text, what, wrap = false }: CodeBlockProps) {
  return (
    <div className={wrap ? 'code with-copy wrap' : 'code with-copy'}>
      <span className="copy">
        <CopyButton text={text} what={what} />
      </span>
      {/* Scrollable, so it must be focusable. */}
      <pre tabIndex={0} role="group" aria-label={what}>
        {text}
      </pre>
    </div>
  );
}
