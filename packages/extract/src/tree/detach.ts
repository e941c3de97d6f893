/** V8 copies shorter slices anyway. */
const SHARED_LENGTH = 13;

/** Copies a text, so that one kept link does not keep the memory of the whole page. */
export function detach(text: string): string {
  return text.length < SHARED_LENGTH ? text : ` ${text}`.slice(1);
}
