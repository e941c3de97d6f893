import type { Element, ElementContent, Properties, Root } from 'hast';
import { collapseSpaces, keepSpaces } from '../../tree/text/clean-characters.ts';
import { ROLE, type ElementRule } from './content-elements.ts';
import { meetAsWord, needsSpace } from '../../tree/text/word-edges.ts';

/** Deeper blocks and formats become text, because readers of the tree may recurse. */
const MAX_BLOCKS = 24;
const MAX_FORMATS = 8;

/** Elements added around text or blocks directly in a list or row. */
const IMPLIED_PARTS: Readonly<Record<string, string>> = { dl: 'dd', ol: 'li', tr: 'td', ul: 'li' };

/** Paragraphs of a list item that is a section of the page. */
const SECTION_PARAGRAPHS = 6;

const LIST_PARTS: ReadonlySet<string> = new Set(['li', 'ol', 'ul']);
const LINKS: ReadonlySet<string> = new Set(['a']);
const SCRIPTS: ReadonlySet<string> = new Set(['sub', 'sup']);
const CODE: ReadonlySet<string> = new Set(['code', 'kbd', 'samp', 'var']);

interface OpenBlock {
  readonly role: number;
  readonly element: Element;
  /** The paragraph for text directly in a flow; undefined if text starts a new one. */
  paragraph: Element | undefined;
  /** Added around another block, and closed with it. */
  readonly isImplied: boolean;
  /** Already among its parent's children. */
  readonly isPlaced: boolean;
  /** A list item whose own text is left out, or a list whose last item accepts no further list. */
  isCut: boolean;
}

interface OpenFormat {
  readonly name: string;
  readonly properties: Properties;
  /** Nested in a format of the same name, or too deep: counted but not written. */
  readonly isIdle: boolean;
}

/**
 * Builds cleaned content as a hast tree (https://github.com/syntax-tree/hast). Elements are created with their first
 * text, so that only cells and definitions can be empty; blocks are never inside formats or paragraphs.
 */
export class ContentTree {
  readonly #root: Element = createElement('div', {});
  readonly #blocks: OpenBlock[] = [createBlock(ROLE.flow, this.#root, false)];
  #attached = 1;
  readonly #formats: OpenFormat[] = [];
  readonly #shown: OpenFormat[] = [];
  /** The element with the last text, its open formats, and that text ('' at a line's start). */
  #host: Element | undefined;
  #path: { format: OpenFormat; element: Element }[] = [];
  #last = '';
  #isSpaceDue = false;
  #isJoined = false;
  #isParted = false;
  #lastLink: OpenFormat | undefined;
  /** Line breaks since that text. */
  #breaks = 0;

  /** Returns false if the block is not allowed here; it then only separates the texts around it. */
  openBlock(rule: ElementRule, properties: Properties): boolean {
    this.part();
    const outer = this.#blocks.at(-1)!;
    const isPart = rule.parents !== undefined;
    if (isPart && !rule.parents.includes(outer.element.tagName)) return false;
    if (this.#blocks.length >= MAX_BLOCKS) return false;
    if (outer.role === ROLE.textBlock || outer.role === ROLE.preformatted) return false;
    if (outer.role === ROLE.group && !isPart) {
      const name = IMPLIED_PARTS[outer.element.tagName];
      if (name === undefined) return false;
      this.#blocks.push(createBlock(ROLE.item, createElement(name, {}), true));
    }
    const element = createElement(rule.name, properties);
    if (rule.keepsPlace) this.#blocks.at(-1)!.element.children.push(element);
    this.#blocks.push({ ...createBlock(rule.role, element, false), isPlaced: rule.keepsPlace ?? false });
    return true;
  }

  closeBlock(): void {
    this.part();
    this.#leaveBlock();
    if (this.#blocks.at(-1)!.isImplied) this.#leaveBlock();
  }

  openFormat(name: string, properties: Properties): void {
    const isIdle = this.#formats.length >= MAX_FORMATS || this.#shown.some((format) => format.name === name);
    const format = { name, properties, isIdle };
    this.#formats.push(format);
    if (!isIdle) this.#shown.push(format);
  }

  closeFormat(): void {
    if (this.#formats.pop()?.isIdle === false) this.#shown.pop();
  }

  part(): void {
    const block = this.#blocks.at(-1)!;
    block.paragraph = undefined;
    if (block.role === ROLE.textBlock) this.#isSpaceDue = true;
    else if (block.role === ROLE.preformatted) this.#endCodeLine();
    else this.#leaveHost();
  }

  writeText(data: string): void {
    if (this.#blocks.at(-1)!.role === ROLE.preformatted) {
      this.#writeCode(keepSpaces(data));
      return;
    }
    const text = collapseSpaces(data);
    const body = text.trim();
    if (text !== '' && text.charCodeAt(0) !== body.charCodeAt(0)) this.#isSpaceDue = true;
    if (body === '') return;
    appendText(this.#openPath(body), body);
    this.#last = body;
    this.#lastLink = this.#findFormat(LINKS);
    this.#isJoined = false;
    this.#isParted = false;
    this.#isSpaceDue = text.charCodeAt(text.length - 1) !== body.charCodeAt(body.length - 1);
  }

  /** The last text and the next are separate words. */
  partWords(): void {
    this.#isParted = true;
  }

  /** The page has unselected text here. */
  leaveOut(): void {
    const part = this.#blocks.findLast(({ element }) => LIST_PARTS.has(element.tagName));
    if (part !== undefined) part.isCut = true;
  }

  /** The next text continues the last one. */
  join(): void {
    this.#isJoined = true;
  }

  /** A break is written when text follows, also between selected blocks. */
  writeBreak(): void {
    if (this.#host !== undefined) this.#breaks++;
  }

  /** The next text starts a line. */
  endLine(): void {
    if (this.#breaks > 0) return;
    if (this.#blocks.at(-1)!.role !== ROLE.preformatted) this.writeBreak();
    else if (this.#host !== undefined) this.#writeCode('\n');
  }

  writeRule(): void {
    this.part();
    const block = this.#blocks.at(-1)!;
    if (block.role !== ROLE.flow || this.#attached < this.#blocks.length) return;
    const last = block.element.children.at(-1);
    if (last !== undefined && !isNamed(last, 'hr')) block.element.children.push(createElement('hr', {}));
  }

  /** A checkbox at the start of a list item makes it a task; others are dropped. */
  writeBox(isChecked: boolean): void {
    if (this.#attached === this.#blocks.length) return;
    const { element } = this.#blocks.at(-1)!;
    const item = element.tagName === 'p' ? this.#blocks.at(-2)!.element : element;
    if (item.tagName !== 'li' || item.children.length > 0 || element.children.length > 0) return;
    element.children.push(createElement('input', { type: 'checkbox', checked: isChecked, disabled: true }));
    appendText(element, ' ');
  }

  writeImage(properties: Properties): void {
    if (this.#blocks.at(-1)!.role === ROLE.preformatted) return;
    this.#openPath('').children.push(createElement('img', properties));
    this.#last = ' ';
    this.#isSpaceDue = false;
  }

  finish(): Root {
    while (this.#blocks.length > 1) this.#leaveBlock();
    if (isNamed(this.#root.children.at(-1), 'hr')) this.#root.children.pop();
    return { type: 'root', children: this.#root.children };
  }

  #leaveBlock(): void {
    const isShown = this.#attached === this.#blocks.length;
    const block = this.#blocks.pop()!;
    this.#leaveHost();
    this.#attached = Math.min(this.#attached, this.#blocks.length);
    if (block.role === ROLE.item) this.#leaveItem(block, isShown);
    else if (block.element.tagName === 'ul' && isShown) unwrapOnlyItem(this.#blocks.at(-1)!.element);
    else if (block.role === ROLE.preformatted) trimCode(block.element);
  }

  #leaveItem({ element, isCut }: OpenBlock, isShown: boolean): void {
    bareOnlyParagraph(element);
    const list = this.#blocks.at(-1)!;
    if (element.tagName === 'dd') dropSpareDefinition(list.element);
    if (element.tagName !== 'li') return;
    if (isShown) list.isCut = !isCut && placeLists(list.element, list.isCut);
    else if (isCut) list.isCut = true;
  }

  #leaveHost(): void {
    this.#host = undefined;
    this.#breaks = 0;
  }

  #openPath(next: string): Element {
    if (this.#breaks > 1) this.#startParagraph();
    const host = this.#findHost();
    if (host !== this.#host || this.#breaks > 0) this.#startLine(host);
    const wanted = this.#shown;
    let shared = 0;
    while (shared < wanted.length && this.#path[shared]?.format === wanted[shared]) shared++;
    this.#path.length = shared;
    // The space goes before the formats that start here.
    if (this.#last !== '' && (this.#isSpaceDue || this.#needsSpace(next)))
      appendText(this.#path.at(-1)?.element ?? host, ' ');
    for (const format of wanted.slice(shared)) {
      const element = createElement(format.name, { ...format.properties });
      (this.#path.at(-1)?.element ?? host).children.push(element);
      this.#path.push({ format, element });
    }
    return this.#path.at(-1)?.element ?? host;
  }

  #needsSpace(next: string): boolean {
    if (this.#isParted && meetAsWord(this.#last, next)) return true;
    if (next === '' || this.#findFormat(CODE) !== undefined) return false;
    const link = this.#findFormat(LINKS);
    return needsSpace({
      before: this.#last,
      after: next,
      startsLink: link !== undefined && link !== this.#lastLink,
      followsLink: this.#lastLink !== undefined,
      isScript: this.#findFormat(SCRIPTS) !== undefined,
      isJoined: this.#isJoined,
    });
  }

  #findFormat(names: ReadonlySet<string>): OpenFormat | undefined {
    return this.#shown.find(({ name }) => names.has(name));
  }

  /** Two line breaks separate paragraphs, where several are allowed. */
  #startParagraph(): void {
    const block = this.#blocks.at(-1)!;
    if (block.role === ROLE.flow || block.role === ROLE.item) this.part();
    else if (block.element.tagName === 'p') {
      this.#leaveHost();
      this.#attached--;
      this.#blocks[this.#blocks.length - 1] = {
        ...block,
        element: createElement('p', { ...block.element.properties }),
      };
    }
  }

  #startLine(host: Element): void {
    for (let k = Math.min(this.#breaks, 2); k > 0; k--) host.children.push(createElement('br', {}));
    this.#host = host;
    this.#breaks = 0;
    this.#path = [];
    this.#last = '';
    this.#isSpaceDue = false;
  }

  #findHost(): Element {
    const block = this.#blocks.at(-1)!;
    const element = this.#attachBlocks();
    if (block.role === ROLE.textBlock) return element;
    if (block.paragraph === undefined) {
      const name = block.role === ROLE.group ? (IMPLIED_PARTS[element.tagName] ?? 'caption') : 'p';
      block.paragraph = createElement(name, {});
      element.children.push(block.paragraph);
    }
    return block.paragraph;
  }

  #attachBlocks(): Element {
    for (; this.#attached < this.#blocks.length; this.#attached++) {
      const block = this.#blocks[this.#attached];
      if (!block.isPlaced) this.#blocks[this.#attached - 1].element.children.push(block.element);
    }
    return this.#blocks.at(-1)!.element;
  }

  #writeCode(text: string): void {
    if (text === '') return;
    const pre = this.#attachBlocks();
    this.#host = pre;
    if (pre.children.length === 0) {
      pre.children.push(createElement('code', pre.properties));
      pre.properties = {};
    }
    const [code] = pre.children;
    if (code?.type === 'element') appendText(code, '\n'.repeat(this.#breaks) + text);
    this.#breaks = 0;
    this.#last = text;
  }

  #endCodeLine(): void {
    if (this.#host === this.#blocks.at(-1)!.element && this.#breaks === 0 && !this.#last.endsWith('\n'))
      this.#writeCode('\n');
  }
}

function createBlock(role: number, element: Element, isImplied: boolean): OpenBlock {
  return { role, element, paragraph: undefined, isImplied, isPlaced: false, isCut: false };
}

function createElement(tagName: string, properties: Properties): Element {
  return { type: 'element', tagName, properties, children: [] };
}

function appendText(parent: Element, text: string): void {
  const last = parent.children.at(-1);
  if (last?.type === 'text') last.value += text;
  else parent.children.push({ type: 'text', value: text });
}

/** Unwraps the only `<p>` of an item, also after a checkbox or before lists. */
function bareOnlyParagraph(item: Element): void {
  const box = isBox(item.children[0]) ? item.children.slice(0, 2) : [];
  const [first, ...others] = item.children.slice(box.length);
  if (first?.type !== 'element' || first.tagName !== 'p') return;
  const isOnly = others.every(isList);
  if (isOnly) item.children = [...box, ...first.children, ...others];
}

/**
 * If a list's last item only contains lists, moves them into the item before, or replaces the item by their items if
 * the list is cut or has no other item. Returns whether it was replaced.
 */
function placeLists(list: Element, isCut: boolean): boolean {
  const item = list.children.at(-1);
  const before = list.children.at(-2);
  if (item?.type !== 'element' || !item.children.every(isList)) return false;
  const hasPrevious = before?.type === 'element' && !isCut;
  if (!hasPrevious && item.children.some(({ tagName }) => tagName !== list.tagName)) return false;
  list.children.pop();
  for (const inner of item.children) {
    if (hasPrevious) before.children.push(inner);
    else for (const part of inner.children) list.children.push(part);
  }
  return !hasPrevious;
}

/** Replaces a list at the end by its only item's blocks, if that holds a whole section. */
function unwrapOnlyItem({ children }: Element): void {
  const list = children.at(-1);
  if (!isNamed(list, 'ul') || list.children.length !== 1) return;
  const [item] = list.children;
  if (!isNamed(item, 'li')) return;
  const paragraphs = item.children.filter((child) => isNamed(child, 'p')).length;
  if (paragraphs >= SECTION_PARAGRAPHS) children.splice(-1, 1, ...item.children);
}

/** Drops an empty definition at the end of a list, unless it is the only one of its term. */
function dropSpareDefinition({ children }: Element): void {
  const last = children.at(-1);
  if (isNamed(last, 'dd') && last.children.length === 0 && !isNamed(children.at(-2), 'dt')) children.pop();
}

function isNamed(node: ElementContent | undefined, tagName: string): node is Element {
  return node?.type === 'element' && node.tagName === tagName;
}

function isList(node: ElementContent): node is Element {
  return isNamed(node, 'ul') || isNamed(node, 'ol');
}

function isBox(node: ElementContent | undefined): boolean {
  return isNamed(node, 'input');
}

function trimCode(pre: Element): void {
  const [code] = pre.children;
  const text = code?.type === 'element' ? code.children[0] : undefined;
  if (text?.type === 'text') text.value = text.value.replace(/^\n+/, '').trimEnd();
}
