/**
 * Rows as text in columns, the head first; for people, programs take `--json`. Members of the console give names:
 * control characters in them would command the terminal, and are shown as U+FFFD.
 */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll(/\p{Cc}/gu, '\uFFFD')));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
