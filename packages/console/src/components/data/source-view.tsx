import xml from 'highlight.js/lib/languages/xml';
import { createLowlight } from 'lowlight';
import { useMemo, useState, type ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { splitLines } from '../../lib/split-lines.ts';

const lowlight = createLowlight({ xml });

/** Lines rendered at first: a page may have a hundred thousand. */
const STEP = 400;

/** HTML with syntax colours and line numbers, rendered in parts. */
export function SourceView({ html }: { readonly html: string }) {
  const lines = useMemo(() => splitLines(html), [html]);
  const [shown, setShown] = useState(STEP);
  const colored = useMemo(() => colorLines(lines.slice(0, shown)), [lines, shown]);
  return (
    <div className="stack-s">
      <div className="source" tabIndex={0} role="group" aria-label="Source">
        <table>
          <tbody>
            {colored.map((line, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- lines are numbered
              <tr key={index}>
                <td className="line">{index + 1}</td>
                <td>{line}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown < lines.length && (
        <div className="row">
          <Button look="small" label="Show more" onClick={() => setShown(shown + STEP * 5)} />
          <span className="muted small">
            {shown} of {lines.length} lines
          </span>
        </div>
      )}
    </div>
  );
}

type Tree = ReturnType<typeof lowlight.highlight>;
type TreeNode = Tree['children'][number];

/** Colours the whole text, because syntax spans lines, and splits it into lines. */
function colorLines(lines: readonly string[]): ReactNode[][] {
  const rows: ReactNode[][] = [[]];
  const add = (text: string, className: string): void => {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) rows.push([]);
      const row = rows.at(-1);
      if (part !== '' && row)
        row.push(
          className === '' ? (
            part
          ) : (
            <span key={row.length} className={className}>
              {part}
            </span>
          ),
        );
    }
  };
  const walk = (node: TreeNode, className: string): void => {
    if (node.type === 'text') add(node.value, className);
    if (node.type !== 'element') return;
    const own = node.properties['className'];
    const next = Array.isArray(own) ? String(own[0]) : className;
    for (const child of node.children) walk(child, next);
  };
  for (const node of lowlight.highlight('xml', lines.join('\n')).children) walk(node, '');
  return rows;
}
