import { parse } from 'css-what';

const MAX_MESSAGE = 200;

/** Returns the syntax fault of a CSS selector, if any. */
export function findSelectorFault(source: string): string | undefined {
  try {
    return parse(source).some((tokens) => tokens.length === 0) ? 'it is empty' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, MAX_MESSAGE).toWellFormed() : 'it cannot be read';
  }
}
