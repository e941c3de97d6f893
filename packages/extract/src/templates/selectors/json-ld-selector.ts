import { isObject, type LinkedData } from '../../page/json-ld.ts';
import { TAG } from '../../tree/tags.ts';
import type { CompiledSelector } from './compiled-selector.ts';
import type { WantedNames } from './page-index.ts';

/** Compiles a JSON-LD path: `NewsArticle:author.name`; `*:` is an object of any type. */
export function compileJsonLd(source: string, wanted: WantedNames): CompiledSelector {
  wanted.tags[TAG.script] = wanted.tags[TAG.meta] = 1;
  const colon = source.indexOf(':');
  const type = source.slice(0, colon);
  const path = source.slice(colon + 1).split('.');
  return {
    select(page) {
      const data = page.linkedData;
      for (const object of data.objects) {
        page.budget.spend(1);
        if (type !== '*' && !object.types.includes(type)) continue;
        const values = readPath(object.properties, path, data);
        if (values.length > 0) return { nodes: [], values };
      }
      return { nodes: [], values: [] };
    },
  };
}

/** Strings and numbers at the end of a path; arrays on the way are flattened. */
function readPath(start: unknown, path: readonly string[], data: LinkedData): string[] {
  let values: unknown[] = [start];
  for (const name of path) {
    values = values
      .flatMap((value) => (Array.isArray(value) ? value.slice(0, 20) : [value]))
      .map((value) => follow(value, data)[name])
      .filter((value) => value !== undefined);
  }
  return values
    .flatMap((value) => (Array.isArray(value) ? value.slice(0, 20) : [value]))
    .filter((value) => typeof value === 'string' || typeof value === 'number')
    .map(String);
}

function follow(value: unknown, data: LinkedData): Readonly<Record<string, unknown>> {
  if (!isObject(value)) return {};
  const id = value['@id'];
  return typeof id === 'string' && Object.keys(value).length === 1 ? (data.byId.get(id) ?? value) : value;
}
