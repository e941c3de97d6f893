import { findEndTag, findNameEnd, findTagEnd, isLetter } from '@winnow/extract/tags';
import {
  ALWAYS_EMPTY,
  BOUND,
  BUSY,
  DEFERS,
  FURNITURE_NAME,
  HAS_SOURCE,
  ISLAND,
  LEAVES_LATER,
  LEAVING_TEXT,
  LOADER_IMAGE,
  LIST_NAME,
  MAX_LEAVING_TEXT,
  MAX_PLACEHOLDER_TEXT,
  PLACEHOLDER_ATTRIBUTE,
  PLACEHOLDER_NAME,
  PLACEHOLDER_TEXT,
  REPEATS,
  REPEATS_BELOW,
  REQUESTS,
  ROOT_ID,
  UNFILLED_NAME,
} from './shell-signs.ts';

/** What the markup of a page shows, and which of its parts scripts have still to fill. */
export interface PageOutline {
  /** Visible characters. */
  readonly text: number;
  /** Visible characters outside links, navigation, headers and footers of the site. */
  readonly ownText: number;
  /** Whether scripts or event handlers may change the page. */
  readonly isScripted: boolean;
  /** Numbers of elements, by sign. */
  readonly signs: Readonly<Partial<Record<ShellSign, number>>>;
}

export type ShellSign =
  /** An empty element that applications fill, or an empty `<main>`. */
  | 'root'
  /** An empty custom element. */
  | 'component'
  /** An element named as a skeleton or spinner, or a text such as "Loading…". */
  | 'placeholder'
  /** Such a text outside links, navigation, headers and footers of the site. */
  | 'said'
  /** `aria-busy` on an element with next to no text. */
  | 'busy'
  /** An element with next to no text whose attributes request its content, such as `hx-get`. */
  | 'deferred'
  /** An empty element that a script names, or whose data it reads, which requests data; counted once. */
  | 'requested'
  /** An empty element in the main part, or directly below the body. */
  | 'hollow'
  /** Such an element in the main part, after all own text. */
  | 'trailing'
  /** An empty element in the main part with the name of a list or of results, an empty list, or one that ends a section. */
  | 'list'
  /** A table body without rows. */
  | 'rows'
  /** An element that scripts repeat for each item of their data, such as `v-for`. */
  | 'repeated'
  /** A name in the text of a template that scripts have still to replace, such as `{{ title }}`. */
  | 'unfilled'
  /** Children of a custom element for a slot of a shadow root that is not in the markup. */
  | 'slotted'
  /** A frame whose document is not in the markup. */
  | 'frame'
  /** A script that opens another page after a while. */
  | 'leaving'
  /** A text that says that another page follows, such as "You will be redirected". */
  | 'announced'
  /** A script that goes on later. */
  | 'timer';

/** Characters of own text after which the outline ends: no rule needs more. */
export const MUCH_TEXT = 3000;

/** Characters of tags; a page with more before its text counts as one with much text. */
const MAX_MARKUP = 262_144;

/** Content that browsers do not show as text. */
const UNSEEN: ReadonlySet<string> = new Set(
  'script style noscript svg textarea select iframe math noembed noframes title template'.split(' '),
);
const CONTAINERS: ReadonlySet<string> = new Set(
  'div main section article ul ol table tbody nav footer header aside form dl output'.split(' '),
);
/** Content without text. */
const MEDIA: ReadonlySet<string> = new Set(
  'img picture video audio canvas object embed iframe input button select textarea math'.split(' '),
);
const FURNITURE: ReadonlySet<string> = new Set(['nav', 'footer', 'aside', 'header']);
const FRAMES: ReadonlySet<string> = new Set(['iframe', 'frame', 'embed', 'object']);
const QUOTES: ReadonlySet<string> = new Set(['pre', 'code', 'samp', 'kbd']);
const LISTS: ReadonlySet<string> = new Set(['ul', 'ol', 'dl']);
const NEXT_TO_NO_TEXT = 60;
const STAND_INS: ReadonlySet<string> = new Set(['ul', 'ol', 'dl', 'table', 'tbody', 'output']);
/** Characters of "No entries yet" or "…". */
const STAND_IN_TEXT = 40;
const HEADING_BEFORE = /<\/h[1-6]>\s*$/i;
/** The end of what contains it, or another heading. */
const SECTION_AFTER = /^\s*<(?:\/(?:div|main|section|article)|h[1-6])\b/i;
const MAX_GAP = 60;
const NO_ROWS = /^<tbody[^<>]*>\s*<\/tbody/i;
/** Of a picture that scripts replace by another. */
const LAZY_IMAGE = /(?<![\w-])(?:data-[\w-]+|srcset|loading)\s*=/i;
const MAX_OPEN = 2000;
/** Further out, an end tag has no start tag. */
const MAX_UNCLOSED = 30;
const MAX_TARGETS = 50;
const MAX_SCRIPT = 262_144;
/** Characters in which names are searched. */
const MAX_SEARCHED = 16_000_000;
/** Characters of attributes that are read of one element. */
const MAX_ATTRIBUTES = 2000;

const HANDLER = /\son[a-z]{3,20}\s*=/i;
const RUNS = /\btype\s*=\s*["']?(?!(?:text|application)\/(?:x-)?(?:java|ecma)script|module|text\/babel)[^\s"'>]/i;
const MAIN_ROLE = /\brole=["']?main\b/i;
const FURNITURE_ROLE = /\brole=["']?(?:navigation|contentinfo|banner|complementary|search)\b/i;
const SLOT = /\bslot=["']/i;
const ID = /(?<![\w-])id\s*=\s*["']?([\w:.-]{2,80})/i;
const CLASSES = /(?<![\w-])class\s*=\s*["']([^"']{1,200})/i;
const DATA_NAME = /(?<![\w-])data-[a-z][\w-]{0,60}/g;
const MAX_DATA_NAMES = 5;
const SHADOW_ROOT = /\bshadowroot(?:mode)?\s*=/i;
const HAS_ADDRESS = /\b(?:src|data)\s*=\s*["']?(?!about:|javascript:|["'\s>])/i;
const SRCDOC = /\bsrcdoc\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
/** A captured frame that nobody sees. */
const UNRENDERED = /\bdata-winnow-unrendered\b/;
const MAX_FRAME_DEPTH = 3;
const LOAD_HANDLER = /\sonload\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
const HAS_SRCDOC = /\bsrcdoc\s*=/i;
/** Frames that nobody sees. */
const UNSEEN_FRAME =
  /\b(?:width|height)\s*[=:]\s*["']?[01](?:px)?\s*["';\s>]|display\s*:\s*none|visibility\s*:\s*hidden|\bhidden\b/i;

interface OpenElement {
  readonly name: string;
  readonly attributes: string;
  readonly text: number;
  readonly media: number;
  readonly said: number;
  readonly start: number;
  readonly isFurniture: boolean;
  readonly isMain: boolean;
  readonly isInMain: boolean;
  hasShadowRoot: boolean;
}

/** Reads the outline of a page, with that of the frames that it contains, in one pass and in linear time. */
export function readOutline(html: string, depth = 0): PageOutline {
  return new OutlineReader(html, depth).read();
}

class OutlineReader {
  readonly #html: string;
  readonly #depth: number;
  readonly #signs: Partial<Record<ShellSign, number>> = {};
  readonly #open: OpenElement[] = [];
  /** Ids and classes of empty elements. */
  #targets: { readonly names: readonly string[]; readonly start: number }[] = [];
  readonly #scripts: string[] = [];
  #scriptsLength = 0;
  /** Names without an end tag, and marks that do not come again. */
  readonly #unclosed = new Set<string>();
  #markup = 0;
  #text = 0;
  #ownText = 0;
  #media = 0;
  /** Own text before the last empty element in the main part. */
  #textBeforeHollow = -1;
  #furniture = 0;
  #mains = 0;
  /** Open custom elements whose shadow root is not in the markup. */
  #hosts = 0;
  #isInLink = false;
  /** Open elements with quoted code. */
  #quotes = 0;
  #isScripted = false;

  constructor(html: string, depth: number) {
    this.#html = html;
    this.#depth = depth;
  }

  read(): PageOutline {
    const html = this.#html;
    for (let at = 0; at < html.length && this.#ownText < MUCH_TEXT;) {
      if (this.#markup > MAX_MARKUP) this.#text = this.#ownText = MUCH_TEXT;
      const open = html.indexOf('<', at);
      this.#readText(at, open < 0 ? html.length : open);
      if (open < 0) break;
      at = this.#readMarkup(open);
    }
    if (this.#textBeforeHollow === this.#ownText) this.#count('trailing');
    this.#readScripts();
    return { text: this.#text, ownText: this.#ownText, isScripted: this.#isScripted, signs: this.#signs };
  }

  #count(sign: ShellSign, more = 1): void {
    this.#signs[sign] = (this.#signs[sign] ?? 0) + more;
  }

  #readText(from: number, to: number): void {
    if (to <= from) return;
    const text = this.#html.slice(from, to).trim();
    if (text === '') return;
    this.#text += text.length;
    const isPlaceholder = text.length <= MAX_PLACEHOLDER_TEXT && PLACEHOLDER_TEXT.test(text);
    if (isPlaceholder) this.#count('placeholder');
    if (this.#isInLink || this.#furniture > 0) return;
    if (isPlaceholder && this.#quotes === 0) this.#count('said');
    this.#ownText += text.length;
    if (text.length <= MAX_LEAVING_TEXT && LEAVING_TEXT.test(text)) this.#count('announced');
    if (text.includes('{{') && this.#quotes === 0 && UNFILLED_NAME.test(text)) this.#count('unfilled');
  }

  /** Returns where the text after a tag or comment starts. */
  #readMarkup(open: number): number {
    const html = this.#html;
    if (html.startsWith('<!--', open)) {
      if (this.#furniture === 0 && REPEATS_BELOW.test(html.slice(open + 4, open + 24))) this.#count('repeated');
      return this.#passTo('-->', open + 4);
    }
    const isEnd = html.startsWith('/', open + 1);
    const start = open + (isEnd ? 2 : 1);
    if (!isLetter(html.charCodeAt(start)))
      return isEnd || /[!?]/.test(html[open + 1] ?? '') ? this.#passTo('>', open) : open + 1;
    const nameEnd = findNameEnd(html, start);
    const name = html.slice(start, nameEnd).toLowerCase();
    const tagEnd = findTagEnd(html, nameEnd);
    const end = tagEnd < 0 ? html.length : tagEnd;
    this.#markup += end - open;
    if (isEnd) this.#close(name, end + 1);
    else return this.#readElement(name, html.slice(nameEnd, Math.min(end, nameEnd + MAX_ATTRIBUTES)), open, end + 1);
    return end + 1;
  }

  #passTo(mark: string, from: number): number {
    const at = this.#unclosed.has(mark) ? -1 : this.#html.indexOf(mark, from);
    if (at >= 0) return at + mark.length;
    this.#unclosed.add(mark);
    return this.#html.length;
  }

  #readElement(name: string, attributes: string, start: number, inside: number): number {
    if (attributes.length > 3) this.#readAttributes(name, attributes, inside);
    if (name === 'script' && !RUNS.test(attributes)) this.#isScripted = true;
    if (name === 'script' && this.#furniture === 0 && ISLAND.test(attributes)) this.#count('deferred');
    if (
      FRAMES.has(name) &&
      HAS_ADDRESS.test(attributes) &&
      !HAS_SRCDOC.test(attributes) &&
      !UNSEEN_FRAME.test(attributes)
    )
      this.#count('frame');
    if (
      FRAMES.has(name) &&
      this.#depth < MAX_FRAME_DEPTH &&
      HAS_SRCDOC.test(attributes) &&
      !UNSEEN_FRAME.test(attributes)
    )
      this.#readFrame(this.#html.slice(start, inside));
    const opener = this.#open.at(-1);
    if (name === 'template' && SHADOW_ROOT.test(attributes)) {
      if (opener !== undefined && !opener.hasShadowRoot) {
        opener.hasShadowRoot = true;
        if (opener.name.includes('-')) this.#hosts -= 1;
      }
      return inside;
    }
    if (MEDIA.has(name)) this.#media += 1;
    if (name === 'progress' && !/\bvalue\s*=/i.test(attributes)) this.#count('placeholder');
    if (UNSEEN.has(name) && !attributes.endsWith('/')) return this.#passUnseen(name, inside);
    if (name === 'a') this.#isInLink = true;
    if (QUOTES.has(name)) this.#quotes += 1;
    const isCustom = name.includes('-');
    if ((!CONTAINERS.has(name) && !isCustom) || attributes.endsWith('/') || this.#open.length >= MAX_OPEN)
      return inside;
    const isMain = name === 'main' || name === 'article' || MAIN_ROLE.test(attributes);
    const isFurniture =
      (FURNITURE.has(name) && !(name === 'header' && this.#mains > 0)) ||
      (attributes.length > 5 && !isMain && (FURNITURE_ROLE.test(attributes) || FURNITURE_NAME.test(attributes)));
    if (isMain) this.#mains += 1;
    if (isFurniture) this.#furniture += 1;
    if (isCustom) this.#hosts += 1;
    this.#open.push({
      name,
      attributes,
      text: this.#text,
      media: this.#media,
      said: this.#signs.said ?? 0,
      start,
      isFurniture,
      isMain,
      isInMain: this.#mains > (isMain ? 1 : 0),
      hasShadowRoot: false,
    });
    return inside;
  }

  #readFrame(tag: string): void {
    const [, double = '', single = double] = SRCDOC.exec(tag) ?? [];
    if (single === '' || UNRENDERED.test(tag.slice(-MAX_GAP))) return;
    const { text, ownText, isScripted, signs } = readOutline(decodeMarkup(single), this.#depth + 1);
    this.#text += text;
    if (this.#furniture === 0) this.#ownText += ownText;
    this.#isScripted ||= isScripted;
    for (const [sign, count] of Object.entries(signs) as [ShellSign, number][]) this.#count(sign, count);
  }

  #readAttributes(name: string, attributes: string, inside: number): void {
    if (!this.#isScripted && HANDLER.test(attributes)) this.#isScripted = true;
    const [, double = '', single = double] = LOAD_HANDLER.exec(attributes) ?? [];
    if (single !== '') this.#noteScript(decodeMarkup(single));
    if (this.#hosts > 0 && attributes.includes('slot=') && SLOT.test(attributes)) this.#count('slotted');
    if (this.#furniture === 0 && REPEATS.test(attributes)) this.#count('repeated');
    if (name === 'img' && LOADER_IMAGE.test(attributes) && !LAZY_IMAGE.test(attributes)) this.#count('placeholder');
    const isAlone = this.#html.startsWith('</', inside);
    if (
      isAlone &&
      !CONTAINERS.has(name) &&
      !name.includes('-') &&
      !MEDIA.has(name) &&
      PLACEHOLDER_ATTRIBUTE.test(attributes)
    )
      this.#count('placeholder');
  }

  #passUnseen(name: string, inside: number): number {
    if (this.#unclosed.has(name)) return inside;
    const close = findEndTag(this.#html, name, inside);
    if (close < 0) {
      this.#unclosed.add(name);
      return inside;
    }
    if (name === 'script' && close > inside) this.#noteScript(this.#html.slice(inside, close));
    return this.#passTo('>', close);
  }

  #noteScript(script: string): void {
    if (this.#scriptsLength >= MAX_SCRIPT) return;
    this.#scriptsLength += script.length;
    this.#scripts.push(script);
  }

  #close(name: string, after: number): void {
    if (name === 'a') this.#isInLink = false;
    if (QUOTES.has(name) && this.#quotes > 0) this.#quotes -= 1;
    if (!CONTAINERS.has(name) && !name.includes('-')) return;
    const open = this.#open;
    const stop = Math.max(0, open.length - MAX_UNCLOSED);
    let index = open.length - 1;
    while (index >= stop && open[index]?.name !== name) index -= 1;
    if (index < stop) return;
    for (const element of open.splice(index)) {
      if (element.isFurniture) this.#furniture -= 1;
      if (element.isMain) this.#mains -= 1;
      if (!element.hasShadowRoot && element.name.includes('-')) this.#hosts -= 1;
      if (element.name === name) this.#judge(element, after);
    }
  }

  /** @param after where the element ends */
  #judge(element: OpenElement, after: number): void {
    const { name, attributes, start, isMain } = element;
    const text = this.#text - element.text;
    if (text >= NEXT_TO_NO_TEXT || this.#media > element.media) return;
    const isCustom = name.includes('-');
    if (BUSY.test(attributes)) this.#count('busy');
    if (DEFERS.test(attributes) || (isCustom && HAS_ADDRESS.test(attributes) && !ALWAYS_EMPTY.test(name)))
      this.#count('deferred');
    if (PLACEHOLDER_ATTRIBUTE.test(attributes) || (isCustom && PLACEHOLDER_NAME.test(name))) this.#count('placeholder');
    if (text > 0) {
      if (text <= STAND_IN_TEXT && this.#furniture === 0 && !element.isFurniture) this.#noteStandIn(element);
      return;
    }
    if ((isMain && name !== 'article') || ROOT_ID.test(attributes)) this.#count('root');
    if (element.isFurniture || this.#furniture > 0) return;
    if (isCustom && !element.hasShadowRoot && !ALWAYS_EMPTY.test(name)) this.#count('component');
    const names = readNames(attributes);
    const isInside = element.isInMain || this.#open.length === 0;
    if (names.length > 0 && isInside) {
      this.#count('hollow');
      if (element.isInMain) this.#textBeforeHollow = this.#ownText;
    }
    if (BOUND.test(attributes) || (isInside && HAS_SOURCE.test(attributes))) this.#count('deferred');
    if (name === 'tbody' && NO_ROWS.test(this.#html.slice(start, start + MAX_GAP))) this.#count('rows');
    if (name === 'tbody' || (names.length > 0 && (this.#isListed(element) || this.#endsSection(start, after))))
      this.#count('list');
    // A script finds the rows of a table by the name of the table.
    if (name === 'tbody') names.push(name, ...readNames(this.#open.at(-1)?.attributes ?? ''));
    names.push(...readDataNames(attributes));
    this.#noteTarget(names, start);
  }

  /** A list, table or output whose few words may stand in for what a script requests. */
  #noteStandIn({ name, attributes, start, said }: OpenElement): void {
    if (!STAND_INS.has(name)) return;
    if ((this.#signs.said ?? 0) > said) this.#count('rows');
    const around = name === 'tbody' ? readNames(this.#open.at(-1)?.attributes ?? '') : [];
    const names = [...readNames(attributes), ...around];
    // Classes of menus stand in many scripts.
    this.#noteTarget(LISTS.has(name) ? names.filter((one) => !one.startsWith('.')) : names, start);
  }

  #noteTarget(names: readonly string[], start: number): void {
    if (names.length === 0) return;
    // An empty element around other empty elements counts once.
    while ((this.#targets.at(-1)?.start ?? -1) > start) this.#targets.pop();
    if (this.#targets.length < MAX_TARGETS) this.#targets.push({ names: names.slice(0, 20), start });
  }

  #isListed({ name, attributes, isInMain }: OpenElement): boolean {
    return LISTS.has(name) || (isInMain && LIST_NAME.test(attributes));
  }

  /** Whether all that stands between a heading and the end of its section is this element. */
  #endsSection(start: number, after: number): boolean {
    return (
      HEADING_BEFORE.test(this.#html.slice(Math.max(0, start - MAX_GAP), start)) &&
      SECTION_AFTER.test(this.#html.slice(after, after + MAX_GAP))
    );
  }

  #readScripts(): void {
    const names = new Set(this.#targets.flatMap((target) => target.names));
    let left = MAX_SEARCHED;
    for (const script of this.#scripts) {
      if (LEAVES_LATER.test(script)) this.#count('leaving');
      if (names.size === 0 || !REQUESTS.test(script)) continue;
      for (const name of names) {
        if (left < script.length || this.#signs.requested !== undefined) break;
        left -= script.length;
        if (mentions(script, name)) this.#count('requested');
      }
    }
  }
}

/** Returns the id and the classes, as selectors write them. */
function readNames(attributes: string): string[] {
  const id = ID.exec(attributes)?.[1];
  const classes = (CLASSES.exec(attributes)?.[1] ?? '').split(/\s+/).filter((one) => one.length > 1);
  return [...(id === undefined ? [] : [id]), ...classes.map((one) => `.${one}`)];
}

/** Returns the names of data attributes, in markup and in scripts. */
function readDataNames(attributes: string): string[] {
  const names = [...attributes.matchAll(DATA_NAME)].slice(0, MAX_DATA_NAMES).map(([name]) => name);
  return names.flatMap((name) => [
    name,
    `dataset.${name.slice(5).replaceAll(/-[a-z]/g, (part) => part.slice(1).toUpperCase())}`,
  ]);
}

/** Decodes the references that attributes with markup or scripts need. */
function decodeMarkup(attribute: string): string {
  const names: Readonly<Record<string, string>> = {
    quot: '"',
    '#34': '"',
    apos: "'",
    '#39': "'",
    lt: '<',
    gt: '>',
    amp: '&',
  };
  return attribute.replaceAll(
    /&(quot|#34|apos|#39|lt|gt|amp);/gi,
    (all, name: string) => names[name.toLowerCase()] ?? all,
  );
}

/** Whether a script contains a name as a whole word. */
function mentions(script: string, name: string): boolean {
  for (let at = script.indexOf(name); at >= 0; at = script.indexOf(name, at + name.length))
    if (!isInWord(script.charCodeAt(at - 1)) && !isInWord(script.charCodeAt(at + name.length))) return true;
  return false;
}

function isInWord(code: number): boolean {
  return isLetter(code) || (code >= 48 && code <= 57) || code === 45 || code === 95;
}
