import { ERRORS } from './errors.ts';
import type { ErrorRow } from './errors.ts';

/** The error table as Markdown, for the documentation. */
export function describeErrors(): string {
  const rows = Object.entries(ERRORS).map(([code, row]: [string, ErrorRow]) => {
    const when = row.retryAfter === true ? `${row.when}; with \`Retry-After\`` : row.when;
    const stages = row.stages.length === 8 ? 'where it arose' : row.stages.join(', ');
    return `| \`${code}\` | ${row.status} | ${stages} | ${when} |`;
  });
  return ['| code | HTTP | stage | when |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
