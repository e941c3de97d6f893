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

  /** Linear: each search for a brace starts where the last one ended. */
  #readRules(css: string): void {
    /** For each open at-rule, whether it applies to every screen. */
    const groups: boolean[] = [];
    let narrow = 0;
    let from = 0;
    let close = css.indexOf('}');
    for (let open = css.indexOf('{'); open >= 0; open = css.indexOf('{', from)) {
      for (; close >= 0 && close < open; close = css.indexOf('}', from)) {
        if (groups.pop() === false) narrow--;
        from = close + 1;
      }
      const before = css.slice(from, open);
      const prelude = before.slice(before.lastIndexOf(';') + 1).trim();
      if (prelude.startsWith('@')) {
        const isForEveryScreen = EVERY_SCREEN.test(prelude);
        groups.push(isForEveryScreen);
        if (!isForEveryScreen) narrow++;
        from = open + 1;
        continue;
      }
      if (close < 0) return;
      this.#readRule(prelude, css.slice(open + 1, close), narrow === 0);
      from = close + 1;
      close = css.indexOf('}', from);
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
