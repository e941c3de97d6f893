/**
 * Characters that control a terminal, end a line, or change the order or sight of the characters around them: C0 and C1
 * controls, line separators, bidirectional controls and tags.
 */
const CONTROLS = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2066-\u206F\u{E0000}-\u{E007F}]/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': String.raw`\n`, '\r': String.raw`\r`, '\t': String.raw`\t` };

/**
 * Escapes untrusted text for one line of a terminal or log, so that it can neither forge a line nor control the
 * terminal. The escapes are those of JSON.
 */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, escape);
}

/** Escapes untrusted text for a terminal; keeps line feeds and tabs. In JSON text the escapes change no value. */
export function escapeLines(text: string): string {
  return text.replace(CONTROLS, (character) =>
    character === '\n' || character === '\t' ? character : escape(character),
  );
}

function escape(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
