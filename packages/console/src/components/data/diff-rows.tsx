import { compareWords, type DiffGap, type DiffRow, type LinePart } from '../../lib/side-by-side.ts';

export function DiffRows({ label, rows }: { readonly label: string; readonly rows: readonly (DiffRow | DiffGap)[] }) {
  return (
    <div className="source diff" tabIndex={0} role="group" aria-label={label}>
      <table>
        <thead className="visually-hidden">
          <tr>
            <th>Left</th>
            <th>Right</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- rows have no other key
            <Row key={index} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ row }: { readonly row: DiffRow | DiffGap }) {
  if (row.kind === 'gap') {
    return (
      <tr>
        <td className="gap" colSpan={2}>
          {row.count} same lines
        </td>
      </tr>
    );
  }
  const changed = row.kind === 'changed';
  const words = changed && row.left !== null && row.right !== null ? compareWords(row.left, row.right) : undefined;
  return (
    <tr>
      <td className={changed && row.left !== null ? 'half removed' : 'half'} dir="auto">
        {words ? <Words parts={words.left} /> : (row.left ?? '')}
      </td>
      <td className={changed && row.right !== null ? 'half added' : 'half'} dir="auto">
        {words ? <Words parts={words.right} /> : (row.right ?? '')}
      </td>
    </tr>
  );
}

function Words({ parts }: { readonly parts: readonly LinePart[] }) {
  return parts.map(({ text, changed }, index) =>
    // oxlint-disable-next-line react/no-array-index-key -- parts have no other key
    changed ? <mark key={index}>{text}</mark> : text,
  );
}
