import { isObject } from '../page/json-ld.ts';
import { cut } from '../tree/text/node-text.ts';

export const DATA_BOUNDS = {
  maxDepth: 12,
  maxTextLength: 10_000,
  maxCharacters: 200_000,
  /** Names, texts, numbers, objects and arrays together. */
  maxValues: 10_000,
  maxObjects: 100,
} as const;

export interface BoundedData {
  readonly objects: Record<string, unknown>[];
  readonly truncated: boolean;
}

/**
 * Copies objects within `DATA_BOUNDS` in document order: spreads top-level arrays, drops other values, makes texts
 * well-formed, drops `__proto__`, which would change the prototype.
 */
export function boundData(documents: readonly unknown[]): BoundedData {
  const copier = new Copier();
  const objects: Record<string, unknown>[] = [];
  for (const document of documents.flat()) {
    if (!isObject(document)) continue;
    if (objects.length >= DATA_BOUNDS.maxObjects || copier.isFull) return { objects, truncated: true };
    const copy = copier.copyObject(document, 1);
    if (Object.keys(copy).length > 0) objects.push(copy);
  }
  return { objects, truncated: copier.truncated };
}

class Copier {
  truncated = false;
  #characters: number = DATA_BOUNDS.maxCharacters;
  #values: number = DATA_BOUNDS.maxValues;

  get isFull(): boolean {
    return this.#characters <= 0 || this.#values <= 0;
  }

  copyObject(source: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const name of Object.keys(source)) {
      if (name === '__proto__') continue;
      if (this.isFull) {
        this.truncated = true;
        break;
      }
      this.#characters -= name.length;
      const value = this.#copyValue(source[name], depth);
      if (value !== undefined) copy[cut(name, 200).toWellFormed()] = value;
    }
    return copy;
  }

  #copyValue(value: unknown, depth: number): unknown {
    this.#values -= 1;
    if (typeof value === 'string') return this.#copyText(value);
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
    if (depth >= DATA_BOUNDS.maxDepth) {
      this.truncated = true;
      return undefined;
    }
    return Array.isArray(value) ? this.#copyArray(value, depth + 1) : this.#copyNested(value, depth + 1);
  }

  #copyText(text: string): string {
    const kept = cut(text, Math.max(0, Math.min(DATA_BOUNDS.maxTextLength, this.#characters)));
    if (kept.length < text.length) this.truncated = true;
    this.#characters -= kept.length;
    return kept.toWellFormed();
  }

  #copyArray(items: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = [];
    for (const item of items) {
      if (this.isFull) {
        this.truncated = true;
        break;
      }
      const value = this.#copyValue(item, depth);
      if (value !== undefined) copy.push(value);
    }
    return copy;
  }

  #copyNested(value: unknown, depth: number): Record<string, unknown> | undefined {
    return isObject(value) ? this.copyObject(value, depth) : undefined;
  }
}
