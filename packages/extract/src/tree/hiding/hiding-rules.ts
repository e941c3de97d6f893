import { isHidingStyle } from './hiding-style.ts';

/** Limit of parsed style sheets, in characters. */
const MAX_CHARACTERS = 262_144;
const MAX_NAMES = 2_000;

/** A single class or id, optionally with an element name and escaped characters. */
const SIMPLE = /^[a-z\d]*([.#](?:[\w-]|\\[^\da-f\s])+)$/i;
const SHOWING = /display\s*:\s*(?!none)[a-z]|visibility\s*:\s*visible/i;
const MAY_HIDE = /none|hidden|collapse|clip|:\s*-|font-size/i;
const EVERY_SCREEN = /^@(?:media\s+(?:all|screen|only screen)|layer\b[^;]*|supports\b.*)$/i;

/**
 * Collects classes and ids hidden by `<style>` elements, from selectors of a single class or id. Linear and bounded.
 */
export class HidingRules {
  readonly #hiding = new Set<string>();
  readonly #showing = new Set<string>();
  #left = MAX_CHARACTERS;

  read(css: string): void {
    const text = css.slice(0, this.#left);
    this.#left -= text.length;
    if (MAY_HIDE.test(text)) this.#readRules(removeComments(text));
  }

  /** `.class` and `#id` of hidden elements, without those that some screens show. */
  get names(): ReadonlySet<string> {
    return new Set([...this.#hiding].filter((name) => !this.#showing.has(name)));
  }

  #readRules(css: string): void {
    /** For each open at-rule, whether it applies to every screen. */
    const groups: boolean[] = [];
    let from = 0;
    for (let open = css.indexOf('{'); open >= 0; open = css.indexOf('{', from)) {
      for (let close = css.indexOf('}', from); close >= 0 && close < open; close = css.indexOf('}', from)) {
        groups.pop();
        from = close + 1;
      }
      const prelude = css.slice(Math.max(from, css.lastIndexOf(';', open) + 1), open).trim();
      if (prelude.startsWith('@')) {
        groups.push(EVERY_SCREEN.test(prelude));
        from = open + 1;
        continue;
      }
      const end = css.indexOf('}', open);
      if (end < 0) return;
      this.#readRule(prelude, css.slice(open + 1, end), groups.every(Boolean));
      from = end + 1;
    }
  }

  #readRule(selectors: string, body: string, isForEveryScreen: boolean): void {
    const isHiding = isForEveryScreen && MAY_HIDE.test(body) && isHidingStyle(body);
    const isShowing = !isHiding && SHOWING.test(body);
    if (!isHiding && !isShowing) return;
    const names = isHiding ? this.#hiding : this.#showing;
    for (const selector of selectors.split(',')) {
      const name = SIMPLE.exec(selector.trim())?.[1]?.replaceAll('\\', '');
      if (name === undefined || names.size >= MAX_NAMES) continue;
      names.add(name);
      // The last rule for all screens wins.
      if (isForEveryScreen) (isHiding ? this.#showing : this.#hiding).delete(name);
    }
  }
}

function removeComments(css: string): string {
  if (!css.includes('/*')) return css;
  return css
    .split('/*')
    .map((part, index) => (index === 0 ? part : part.slice(indexPast(part, '*/'))))
    .join('');
}

function indexPast(text: string, mark: string): number {
  const at = text.indexOf(mark);
  return at < 0 ? text.length : at + mark.length;
}
