import { readFileSync } from 'node:fs';
import { readPage } from './benchmark-page.ts';
import { scorePage, type Extraction, type PageScore } from './score-page.ts';

/** The compared fields by their API names. */
interface ResultFields {
  main_text?: string;
  title?: string | null;
  author?: string | null;
  publish_time?: string | null;
}

/** The needed members of a line of `winnow batch`. */
interface ResultLine {
  id?: string;
  result?: ResultFields;
  error?: unknown;
  metadata?: { server_elapsed_ms?: number };
}

/**
 * Scores a JSON Lines file as `winnow batch` writes it, `{id, result}` or `{id, error}` a line.
 * Pages without a line count as errors; a broken line is refused with its number.
 */
export function scoreResultsFile(folder: string, ids: readonly string[], file: string): PageScore[] {
  const lines = readResultLines(file);
  return ids.map((id) => {
    const line = lines.get(id);
    const page = readPage(folder, id);
    const milliseconds = line?.metadata?.server_elapsed_ms ?? 0;
    if (line?.result === undefined) {
      const error = line === undefined ? 'no line in the results file' : JSON.stringify(line.error ?? 'no result');
      return scorePage(page, { error, milliseconds });
    }
    return scorePage(page, { extraction: readExtraction(line.result), milliseconds });
  });
}

function readResultLines(file: string): Map<string, ResultLine> {
  const lines = new Map<string, ResultLine>();
  // Not node:readline, which also ends lines at U+2028, which JSON allows in strings.
  for (const [index, text] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (text.trim() === '') continue;
    const line = parseLine(text, `${file}:${index + 1}`);
    if (line.id !== undefined) lines.set(line.id, line);
  }
  return lines;
}

function parseLine(text: string, place: string): ResultLine {
  try {
    const line: ResultLine = JSON.parse(text);
    return line;
  } catch (cause) {
    throw new Error(`${place}: not a line of JSON`, { cause });
  }
}

function readExtraction(result: ResultFields): Extraction {
  return {
    mainText: result.main_text ?? '',
    title: result.title ?? null,
    author: result.author ?? null,
    publishTime: result.publish_time ?? null,
  };
}
