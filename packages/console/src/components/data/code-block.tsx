import { CopyButton } from '../controls/copy-button.tsx';

interface CodeBlockProps {
  readonly text: string;
  /** Names the block, and what its button copies. */
  readonly what: string;
  readonly wrap?: boolean;
}

export function CodeBlock({ text, what, wrap = false }: CodeBlockProps) {
  return (
    <div className={wrap ? 'code with-copy wrap' : 'code with-copy'}>
      <span className="copy">
        <CopyButton text={text} what={what} />
      </span>
      {/* Scrolls, so that the keyboard has to be able to reach it. */}
      <pre tabIndex={0} role="group" aria-label={what}>
        {text}
      </pre>
    </div>
  );
}
