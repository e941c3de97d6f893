import { ERRORS, type ErrorRow } from './errors.ts';

export function describeErrors(): string {
  const rows = Object.entries(ERRORS).map(([code, row]: [string, ErrorRow]) => {
    const when = row.retryAfter === true ? `${row.when}; with \`Retry-After\`` : row.when;
    const stages = row.stages.length === 8 ? 'where it arose' : row.stages.join(', ');
    const usual = row.retryable ? 'yes' : 'no';
    const retryable = row.retryableVaries === true ? 'depends' : usual;
    return `| \`${code}\` | ${row.status} | ${stages} | ${retryable} | ${when} |`;
  });
  return ['| code | HTTP | stage | retryable | when |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}
