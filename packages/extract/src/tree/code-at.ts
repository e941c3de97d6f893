// oxlint-disable-next-line typescript/unbound-method -- only called with the text as `this`
const { charCodeAt } = String.prototype;

/**
 * Returns `text.charCodeAt(index)`, for hot loops. V8 finds a string's methods by its representation; after five
 * (short, cut, joined, two bytes a character …) a line of code looks them up each time.
 */
export function codeAt(text: string, index: number): number {
  return charCodeAt.call(text, index);
}
