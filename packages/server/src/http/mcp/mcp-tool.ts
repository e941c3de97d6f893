import type { z } from 'zod';
import type { BatchKey } from '../../domain/batches/batch-ports.ts';
import type { AppError } from '../../domain/shared/errors.ts';
import type { Workflow } from '../../domain/shared/workflow.ts';

/** What a tool answers: facts as one line of JSON, and the page's text after an empty line, as it is. */
export interface ToolAnswer {
  readonly facts: object;
  readonly text?: string;
}

export interface Tool<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The tool accesses the web. */
  readonly isOpenWorld: boolean;
  readonly input: Input;
  /** Checks the arguments in stage `request`, and returns the work. */
  readonly prepare: (args: z.output<Input>, call: ToolCall) => Promise<() => Promise<ToolAnswer>>;
}

/** A call of a tool, independent of the transport. */
export interface ToolCall {
  readonly projectId: string;
  /** Pays for what the call starts. */
  readonly key: BatchKey;
  readonly workflow: Workflow;
  /** Says how far the call is to a client that asks for it. */
  report(message: string): void;
  /** Records the accepted arguments for the request log. */
  accept(tool: string, args: object): void;
  /** Runs work in a slot, and passes it the wait in milliseconds. */
  admit<T>(budgetMs: number, work: (waitedMs: number) => Promise<T>): Promise<T>;
  /** Records and logs the error. */
  fail(error: AppError): void;
  /** Called once, when the call has an answer. */
  end(): void;
}

/** Characters of a title, description or author. */
const MAX_LINE = 2000;

export function withText(facts: object, { content, ...place }: TextPage): ToolAnswer {
  return { facts: { ...facts, ...place }, text: content };
}

export function cutLine(text: string | null): string | null {
  return text === null ? null : cutText(text, 0, MAX_LINE).content;
}

interface TextPage {
  readonly content: string;
  readonly offset: number;
  readonly total_chars: number;
  readonly next_offset: number | null;
}

/**
 * Returns a page of the text. Successive pages neither overlap nor split surrogate pairs.
 * @param maxChars UTF-16 code units, at least 2
 */
export function cutText(text: string, start: number, maxChars: number): TextPage {
  const offset = splitsPair(text, start) ? start - 1 : Math.min(start, text.length);
  const limit = Math.min(offset + maxChars, text.length);
  const end = splitsPair(text, limit) ? limit - 1 : limit;
  return {
    content: text.slice(offset, end),
    offset,
    total_chars: text.length,
    next_offset: end < text.length ? end : null,
  };
}

function splitsPair(text: string, at: number): boolean {
  return isBetween(text.charCodeAt(at - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(at), 0xdc00, 0xdfff);
}

function isBetween(code: number, least: number, most: number): boolean {
  return code >= least && code <= most;
}
