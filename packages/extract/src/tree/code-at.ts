// oxlint-disable-next-line typescript/unbound-method -- only called with the text as `this`
const { charCodeAt } = String.prototype;

/**
 * Returns `text.charCodeAt(index)`, for hot loops. V8 caches a string's method by representation; a call site that
 * sees five (short, sliced, concatenated, two-byte …) becomes megamorphic.
 *
 * @param index never outside the text: one such call makes all others three times as slow
 */
export function codeAt(text: string, index: number): number {
  return charCodeAt.call(text, index);
}
