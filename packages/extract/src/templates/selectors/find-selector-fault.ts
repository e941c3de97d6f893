import { parse } from 'css-what';

const MAX_MESSAGE = 200;

/** Returns what is wrong with the syntax of a CSS selector; undefined when it can be read. */
export function findSelectorFault(source: string): string | undefined {
  try {
    return parse(source).some((tokens) => tokens.length === 0) ? 'it is empty' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, MAX_MESSAGE).toWellFormed() : 'it cannot be read';
  }
}
