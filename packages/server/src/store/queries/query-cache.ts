import { LRUCache } from 'lru-cache';
import { CompiledQuery, type Compilable, type DialectAdapter, type Kysely } from 'kysely';
import type { Database } from '../schema/schema.ts';

/** Query texts per database; an insert has one for each number of rows. */
const MAX_TEXTS = 200;

export interface CachedQuery<Row> {
  /** Cache key: differs wherever the query text differs. */
  readonly shape: string;
  /** In the order of the placeholders. */
  readonly parameters: readonly unknown[];
  readonly build: () => Compilable<Row>;
}

/** Builds queries of the request path once: Kysely builds an insert more slowly than SQLite runs it. */
export class QueryCache {
  readonly #texts = new WeakMap<DialectAdapter, LRUCache<string, string>>();

  async run<Row>(db: Kysely<Database>, query: CachedQuery<Row>): Promise<Row[]> {
    const { adapter } = db.getExecutor();
    const texts = this.#texts.get(adapter) ?? new LRUCache<string, string>({ max: MAX_TEXTS });
    this.#texts.set(adapter, texts);
    const { shape, parameters } = query;
    let text = texts.get(shape);
    if (text === undefined) {
      text = buildText(query);
      texts.set(shape, text);
    }
    return (await db.executeQuery<Row>(CompiledQuery.raw(text, [...parameters]))).rows;
  }
}

function buildText<Row>({ shape, parameters, build }: CachedQuery<Row>): string {
  const built = build().compile();
  const isSame =
    built.parameters.length === parameters.length && built.parameters.every((one, at) => one === parameters[at]);
  if (!isSame) throw new Error(`the parameters of ${shape} are not those of its query`);
  return built.sql;
}
