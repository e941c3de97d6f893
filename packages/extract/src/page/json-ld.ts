/** Far above real pages: larger scripts are cut or skipped. */
const MAX_SCRIPT_LENGTH = 1_000_000;
const MAX_DEPTH = 40;
const MAX_OBJECTS = 5_000;
const MAX_VALUES = 50_000;
const MAX_DOCUMENTS = 100;
const MAX_REPAIRED_DEPTH = 500;

export type JsonObject = Readonly<Record<string, unknown>>;

/** An object of the page's JSON-LD. */
export interface LinkedObject {
  readonly types: readonly string[];
  readonly properties: JsonObject;
  /** Properties from the top of the script, without `@graph`: '' or 'mainEntity.author'. */
  readonly path: string;
}

export interface LinkedData {
  readonly documents: readonly unknown[];
  readonly objects: readonly LinkedObject[];
  readonly byId: ReadonlyMap<string, JsonObject>;
}

/** Flattens the JSON-LD scripts in document order. Repairs known damage and skips other broken scripts. */
export function readLinkedData(scripts: readonly string[]): LinkedData {
  const documents: unknown[] = [];
  const objects: LinkedObject[] = [];
  const byId = new Map<string, JsonObject>();
  for (const script of scripts) {
    if (objects.length >= MAX_OBJECTS) break;
    for (const document of parseLoosely(script)) {
      documents.push(document);
      collectObjects(document, objects, byId);
    }
  }
  return { documents, objects, byId };
}

export function flattenLinkedData(documents: readonly unknown[]): LinkedData {
  const objects: LinkedObject[] = [];
  const byId = new Map<string, JsonObject>();
  for (const document of documents) collectObjects(document, objects, byId);
  return { documents, objects, byId };
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Not recursive, for deep input; the stack keeps document order. */
function collectObjects(document: unknown, objects: LinkedObject[], byId: Map<string, JsonObject>): void {
  const stack: { value: unknown; path: string; depth: number }[] = [{ value: document, path: '', depth: 0 }];
  let seen = 0;
  while (stack.length > 0 && objects.length < MAX_OBJECTS && seen < MAX_VALUES) {
    const { value, path, depth } = stack.pop()!;
    seen++;
    if (Array.isArray(value)) {
      if (depth >= MAX_DEPTH) continue;
      for (let i = Math.min(value.length, MAX_VALUES) - 1; i >= 0; i--) {
        if (typeof value[i] === 'object') stack.push({ value: value[i], path, depth: depth + 1 });
      }
    } else if (isObject(value)) {
      objects.push({ types: readTypes(value['@type']), properties: value, path });
      const id = value['@id'];
      if (typeof id === 'string' && !byId.has(id) && Object.keys(value).length > 1) byId.set(id, value);
      if (depth >= MAX_DEPTH) continue;
      for (const key of Object.keys(value).toReversed()) {
        const child = value[key];
        if (typeof child !== 'object' || child === null) continue;
        stack.push({ value: child, path: key === '@graph' ? path : joinPath(path, key), depth: depth + 1 });
      }
    }
  }
}

function joinPath(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function readTypes(value: unknown): string[] {
  const names: string[] = [];
  for (const item of Array.isArray(value) ? value.slice(0, 20) : [value]) {
    if (typeof item === 'string' && item.length < 200)
      names.push(item.slice(Math.max(item.lastIndexOf('/'), item.lastIndexOf('#'), item.lastIndexOf(':')) + 1));
  }
  return names;
}

function parseLoosely(script: string): unknown[] {
  if (script.length > MAX_SCRIPT_LENGTH) return [];
  try {
    return [JSON.parse(script)];
  } catch {
    return parseRepaired(script);
  }
}

function parseRepaired(script: string): unknown[] {
  const documents: unknown[] = [];
  for (const text of splitDocuments(script)) {
    try {
      documents.push(JSON.parse(text));
    } catch {
      // The page's other sources remain.
    }
  }
  return documents;
}

/**
 * Splits a text into its top-level objects and arrays and repairs each in one pass: drops comments, CDATA, semicolons,
 * trailing commas and unknown spaces, escapes control characters in strings, closes what is open at the end.
 */
function splitDocuments(script: string): string[] {
  const documents: string[] = [];
  const open: string[] = [];
  let out = '';
  let comma = false;
  for (let i = 0; i < script.length && documents.length < MAX_DOCUMENTS; i++) {
    const char = script[i];
    if (char === '/' && (script[i + 1] === '/' || script[i + 1] === '*')) {
      i = findCommentEnd(script, i) - 1;
    } else if (char === '{' || (char === '[' && !(open.length === 0 && script.startsWith('[CDATA[', i)))) {
      open.push(char === '{' ? '}' : ']');
      if (open.length > MAX_REPAIRED_DEPTH) return documents;
      emit(char);
    } else if (open.length === 0) {
      if (char === '[') i += '[CDATA['.length - 1;
    } else if (char === open.at(-1)) {
      comma = false;
      open.pop();
      emit(char);
      if (open.length === 0) {
        documents.push(out);
        out = '';
      }
    } else if (char === '"') {
      const end = findStringEnd(script, i);
      emit(script.slice(i, end).replace(ESCAPES, repairEscape));
      i = end - 1;
    } else if (char === ',') comma = true;
    else if (!SPACE.test(char)) emit(char);
  }
  if (open.length > 0) documents.push(out + open.toReversed().join(''));
  return documents;

  /** Delays a comma until a value follows. */
  function emit(text: string): void {
    out += comma ? `,${text}` : text;
    comma = false;
  }
}

/** Also no-break spaces, byte order marks, line separators and zero-width spaces. */
const SPACE = /[\s\u200b]/;

// oxlint-disable-next-line no-control-regex -- raw control characters inside strings are what is repaired
const ESCAPES = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})|\\x[\da-fA-F]{2}|[\\\u0000-\u001f]/g;

/** Converts `\x27` to JSON; drops other backslashes as JavaScript does: `\'` is an apostrophe. */
function repairEscape(found: string): string {
  if (found === '\\') return '';
  if (found.length === 1) return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return found.startsWith('\\x') ? `\\u00${found.slice(2)}` : found;
}

function findStringEnd(script: string, start: number): number {
  for (let i = start + 1; i < script.length; i++) {
    if (script[i] === '\\') i++;
    else if (script[i] === '"') return i + 1;
  }
  return script.length;
}

function findCommentEnd(script: string, start: number): number {
  const block = script[start + 1] === '*';
  const end = script.indexOf(block ? '*/' : '\n', start + 2);
  if (end < 0) return script.length;
  return block ? end + 2 : end;
}
