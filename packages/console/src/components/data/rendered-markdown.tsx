import MarkdownIt from 'markdown-it';
import type { Token } from 'markdown-it';
import { createElement, Fragment, useMemo, type ReactNode } from 'react';

/** Raw HTML stays text, and plain addresses stay plain. */
const parser = new MarkdownIt('default', { html: false, linkify: false });

/** A page can have a table of a million cells: characters and blocks that a browser shows without a stop. */
const MAX_LENGTH = 300_000;
const MAX_BLOCKS = 30_000;

/**
 * Markdown of a foreign page, rendered without anything that could act: raw HTML is text, links lead nowhere and have
 * their address as a tooltip, and images are their alternative texts, so that nothing is loaded from the site.
 */
export function RenderedMarkdown({ text }: { readonly text: string }) {
  const { content, isCut } = useMemo(() => {
    const tokens = parser.parse(text.slice(0, MAX_LENGTH), {});
    const cut = text.length > MAX_LENGTH || tokens.length > MAX_BLOCKS;
    return { content: renderTokens(tokens.slice(0, MAX_BLOCKS)), isCut: cut };
  }, [text]);
  return (
    <div className="article markdown" role="group" aria-label="Rendered Markdown" dir="auto">
      {content}
      {isCut && <p className="muted">Only the beginning is rendered; the source has all of it.</p>}
    </div>
  );
}

interface OpenElement {
  readonly token: Token | undefined;
  readonly children: ReactNode[];
}

function renderTokens(tokens: readonly Token[]): ReactNode[] {
  const root: OpenElement = { token: undefined, children: [] };
  const open = [root];
  for (const token of tokens) {
    const parent = open.at(-1) ?? root;
    if (token.nesting === 1) open.push({ token, children: [] });
    else if (token.nesting === 0) parent.children.push(renderLeaf(token, parent.children.length));
    else closeLast(open);
  }
  // What was cut.
  while (open.length > 1) closeLast(open);
  return root.children;
}

function closeLast(open: OpenElement[]): void {
  const [above, last] = open.slice(-2);
  if (above === undefined || last === undefined) return;
  open.pop();
  above.children.push(renderElement(last, above.children.length));
}

function renderElement({ token, children }: OpenElement, key: number): ReactNode {
  if (token === undefined) return null;
  // A paragraph of a tight list.
  if (token.hidden) return <Fragment key={key}>{children}</Fragment>;
  if (token.type === 'link_open') {
    return (
      <span key={key} className="address" title={String(token.attrGet('href') ?? '')}>
        {children}
      </span>
    );
  }
  if (token.tag === 'table') {
    return (
      <div key={key} className="table-wrap">
        <table className="table">{children}</table>
      </div>
    );
  }
  const start = token.tag === 'ol' ? token.attrGet('start') : null;
  return createElement(headingBelow(token.tag), start === null ? { key } : { key, start: Number(start) }, ...children);
}

/** The page has a heading of the first rank already. */
function headingBelow(tag: string): string {
  const rank = /^h([1-5])$/.exec(tag)?.[1];
  return rank === undefined ? tag : `h${Number(rank) + 1}`;
}

function renderLeaf(token: Token, key: number): ReactNode {
  switch (token.type) {
    case 'inline':
      return <Fragment key={key}>{renderTokens(token.children ?? [])}</Fragment>;
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br key={key} />;
    case 'hr':
      return <hr key={key} />;
    case 'code_inline':
      return <code key={key}>{token.content}</code>;
    case 'fence':
    case 'code_block':
      return (
        <pre key={key} className="code" tabIndex={0}>
          {token.content}
        </pre>
      );
    case 'image':
      return (
        <span key={key} className="badge" title={String(token.attrGet('src') ?? '')}>
          Image{token.content === '' ? '' : `: ${token.content}`}
        </span>
      );
    default:
      return token.content;
  }
}
