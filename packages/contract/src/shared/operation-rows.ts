import type { Operation } from './operation.ts';

/** What a row states besides its method, its path, its summary and who may call it. */
type Rest = Omit<Operation, 'method' | 'access' | 'path' | 'summary'>;

const rowsOf =
  <const Method extends Operation['method']>(method: Method) =>
  <const Access extends NonNullable<Operation['access']>, const Path extends string, const Row extends Rest>(
    access: Access,
    path: Path,
    summary: string,
    // Another property is a slip of the pen, as in a literal.
    row: Row & Readonly<Record<Exclude<keyof Row, keyof Rest>, never>>,
  ): { readonly method: Method; readonly access: Access; readonly path: Path; readonly summary: string } & Row => ({
    method,
    access,
    path,
    summary,
    ...row,
  });

export const get = rowsOf('GET');
export const post = rowsOf('POST');
export const put = rowsOf('PUT');
export const patch = rowsOf('PATCH');
export const del = rowsOf('DELETE');
