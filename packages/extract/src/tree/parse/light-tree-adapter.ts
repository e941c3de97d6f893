import { html, type Token, type TreeAdapter, type TreeAdapterTypeMap } from 'parse5';
import { getTagCode, TAG, TEXT } from '../tags.ts';

/** `kind` of nodes that the flat tree omits. */
const UNLISTED = -1;

/** Node for parse5: one shape keeps property accesses monomorphic, linked siblings make moves cheap. */
export class LightNode {
  parent: LightNode | null = null;
  firstChild: LightNode | null = null;
  lastChild: LightNode | null = null;
  next: LightNode | null = null;
  previous: LightNode | null = null;
  content: LightNode | null = null;
  /** Tag code, see `tags.ts`; `UNLISTED` for comments, fragments and document types. */
  kind: number;
  /** Tag name or text. */
  value: string;
  readonly namespace: html.NS;
  attributes: Token.Attribute[];

  constructor(kind: number, value: string, namespace: html.NS, attributes: Token.Attribute[]) {
    this.kind = kind;
    this.value = value;
    this.namespace = namespace;
    this.attributes = attributes;
  }
}

export type LightNodes = TreeAdapterTypeMap<
  LightNode,
  LightNode,
  LightNode,
  LightNode,
  LightNode,
  LightNode,
  LightNode,
  LightNode,
  LightNode,
  LightNode
>;

const NO_ATTRIBUTES: Token.Attribute[] = [];

/** Tests for an element that may contain another document. */
export function mayBeFrame(code: number, name: string): boolean {
  return code === TAG.iframe || code === TAG.object || code === TAG.embed || name === 'frame';
}

/** Builds a `LightNode` tree for parse5, without comments and document types. One instance per parse. */
export class LightTreeAdapter implements TreeAdapter<LightNodes> {
  /** Number of created nodes, at least that of the final tree. */
  created = 0;
  /** Whether there are frames with documents. */
  hasFrames = false;
  #mode: html.DOCUMENT_MODE = html.DOCUMENT_MODE.NO_QUIRKS;
  /** Attribute names of elements that later start tags extend (html, body): keeps merging linear. */
  readonly #adopted = new Map<LightNode, Set<string>>();

  createDocument(): LightNode {
    this.created++;
    return new LightNode(0, '', html.NS.HTML, NO_ATTRIBUTES);
  }

  createDocumentFragment(): LightNode {
    return new LightNode(UNLISTED, '', html.NS.HTML, NO_ATTRIBUTES);
  }

  createElement(name: string, namespace: html.NS, attributes: Token.Attribute[]): LightNode {
    this.created++;
    const code = getTagCode(name);
    if (mayBeFrame(code, name) && attributes.some((one) => one.name === 'srcdoc')) this.hasFrames = true;
    return new LightNode(code, name, namespace, attributes);
  }

  createCommentNode(): LightNode {
    return new LightNode(UNLISTED, '', html.NS.HTML, NO_ATTRIBUTES);
  }

  createTextNode(value: string): LightNode {
    this.created++;
    return new LightNode(TEXT, value, html.NS.HTML, NO_ATTRIBUTES);
  }

  appendChild(parent: LightNode, node: LightNode): void {
    if (node.kind === UNLISTED) return;
    node.parent = parent;
    const last = parent.lastChild;
    node.previous = last;
    if (last === null) parent.firstChild = node;
    else last.next = node;
    parent.lastChild = node;
  }

  insertBefore(parent: LightNode, node: LightNode, reference: LightNode): void {
    node.parent = parent;
    node.next = reference;
    node.previous = reference.previous;
    if (reference.previous === null) parent.firstChild = node;
    else reference.previous.next = node;
    reference.previous = node;
  }

  detachNode(node: LightNode): void {
    const { parent, previous, next } = node;
    if (parent === null) return;
    if (previous === null) parent.firstChild = next;
    else previous.next = next;
    if (next === null) parent.lastChild = previous;
    else next.previous = previous;
    node.parent = node.previous = node.next = null;
  }

  insertText(parent: LightNode, text: string): void {
    const last = parent.lastChild;
    if (last !== null && last.kind === TEXT) last.value += text;
    else this.appendChild(parent, this.createTextNode(text));
  }

  insertTextBefore(parent: LightNode, text: string, reference: LightNode): void {
    const before = reference.previous;
    if (before !== null && before.kind === TEXT) before.value += text;
    else this.insertBefore(parent, this.createTextNode(text), reference);
  }

  adoptAttributes(recipient: LightNode, attributes: Token.Attribute[]): void {
    let names = this.#adopted.get(recipient);
    if (names === undefined) {
      names = new Set(recipient.attributes.map((attribute) => attribute.name));
      this.#adopted.set(recipient, names);
    }
    for (const attribute of attributes) {
      if (names.has(attribute.name)) continue;
      names.add(attribute.name);
      recipient.attributes.push(attribute);
    }
  }

  setTemplateContent(template: LightNode, content: LightNode): void {
    template.content = content;
  }

  getTemplateContent(template: LightNode): LightNode {
    return template.content ?? template;
  }

  setDocumentType(): void {}

  setDocumentMode(_document: LightNode, mode: html.DOCUMENT_MODE): void {
    this.#mode = mode;
  }

  getDocumentMode(): html.DOCUMENT_MODE {
    return this.#mode;
  }

  getFirstChild(node: LightNode): LightNode | null {
    return node.firstChild;
  }

  getChildNodes(node: LightNode): LightNode[] {
    const children: LightNode[] = [];
    for (let child = node.firstChild; child !== null; child = child.next) children.push(child);
    return children;
  }

  getParentNode(node: LightNode): LightNode | null {
    return node.parent;
  }

  getAttrList(element: LightNode): Token.Attribute[] {
    return element.attributes;
  }

  getTagName(element: LightNode): string {
    return element.value;
  }

  getNamespaceURI(element: LightNode): html.NS {
    return element.namespace;
  }

  getTextNodeContent(node: LightNode): string {
    return node.value;
  }

  getCommentNodeContent(): string {
    return '';
  }

  getDocumentTypeNodeName(): string {
    return '';
  }

  getDocumentTypeNodePublicId(): string {
    return '';
  }

  getDocumentTypeNodeSystemId(): string {
    return '';
  }

  isTextNode(node: LightNode): node is LightNode {
    return node.kind === TEXT;
  }

  isCommentNode(node: LightNode): node is LightNode {
    return node.kind === UNLISTED;
  }

  isDocumentTypeNode(_node: LightNode): _node is LightNode {
    return false;
  }

  isElementNode(node: LightNode): node is LightNode {
    return node.kind > TEXT;
  }

  setNodeSourceCodeLocation(): void {}

  getNodeSourceCodeLocation(): null {
    return null;
  }

  updateNodeSourceCodeLocation(): void {}
}

/** Whether a node is `<template shadowrootmode>`, whose content browsers show. */
export function isShadowRoot(node: LightNode): boolean {
  return (
    node.kind === TAG.template &&
    node.content !== null &&
    node.attributes.some((attribute) => attribute.name === 'shadowrootmode')
  );
}
