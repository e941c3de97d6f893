import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** Classes of the cells; `number` also applies to the head. */
  readonly className?: string;
  /** The head is for screen readers only. */
  readonly hideHead?: boolean;
  /** On a phone, where rows are cards, the cell has no label. */
  readonly bare?: boolean;
}

export const ACTIONS = { label: 'Actions', hideHead: true, bare: true, className: 'actions' } as const;

interface DataTableProps<Row> {
  /** Content of the table, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

/** A table that scrolls sideways, and becomes a list of cards on a phone. */
export function DataTable<Row>({ label, columns, rows, rowKey }: DataTableProps<Row>) {
  return (
    <div className="table-wrap" tabIndex={0} role="group" aria-label={label}>
      <table className="table cards">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.label} className={column.className?.includes('number') ? 'number' : undefined}>
                {column.hideHead ? <span className="visually-hidden">{column.label}</span> : column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.label} data-label={column.bare ? '' : column.label} className={column.className}>
                  {column.bare ? column.cell(row) : <div>{column.cell(row)}</div>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
