import type { Definition, Nodes, PhrasingContent, Root, RootContent } from 'mdast';
import type { MarkdownOptions } from '../../types/extraction.ts';

/** Containers to remove once they are empty. Table cells stay, because rows must keep their columns. */
const EMPTIABLE: ReadonlySet<string> = new Set([
  'paragraph',
  'heading',
  'emphasis',
  'strong',
  'delete',
  'link',
  'linkReference',
  'listItem',
  'list',
  'blockquote',
]);

/** Rewrites links and images as requested, and puts the title first. */
export function applyMarkdownOptions(document: Root, options: MarkdownOptions, title: string | null): void {
  const { links = 'keep', images = 'keep' } = options;
  if (images !== 'keep') replaceImages(document, images);
  if (links === 'text') unwrapLinks(document);
  else if (links === 'references') referLinks(document);
  if (options.title === true) addTitle(document, title);
}

export function readPlainText(node: Nodes): string {
  return collectText(node).replace(/\s+/g, ' ').trim();
}

function collectText(node: Nodes): string {
  if ('value' in node) return node.type === 'html' ? ' ' : node.value;
  if (node.type === 'break') return ' ';
  return 'children' in node ? node.children.map(collectText).join('') : '';
}

function replaceImages(node: Nodes, images: 'alt' | 'none'): void {
  rewriteChildren(node, (child) => {
    if (child.type === 'image') {
      const alt = images === 'alt' ? (child.alt ?? '').trim() : '';
      return alt === '' ? [] : [{ type: 'text', value: alt }];
    }
    const hadContent = hasContent(child);
    replaceImages(child, images);
    return hadContent && EMPTIABLE.has(child.type) && !hasContent(child) ? [] : [child];
  });
}

function hasContent(node: Nodes): boolean {
  if (!('children' in node)) return !('value' in node) || node.type === 'html' || /\S/.test(node.value);
  return node.children.some((child) => child.type !== 'break' && hasContent(child));
}

function unwrapLinks(node: Nodes): void {
  rewriteChildren(node, (child) => {
    unwrapLinks(child);
    return child.type === 'link' ? child.children : [child];
  });
}

function referLinks(document: Root): void {
  const definitions = new Map<string, Definition>();
  const visit = (node: Nodes): void =>
    rewriteChildren(node, (child) => {
      visit(child);
      if (child.type !== 'link') return [child];
      const { url, title = null, children } = child;
      const key = `${url} ${title ?? ''}`;
      const identifier = definitions.get(key)?.identifier ?? String(definitions.size + 1);
      definitions.set(key, { type: 'definition', identifier, label: identifier, url, title });
      return [{ type: 'linkReference', identifier, label: identifier, referenceType: 'full', children }];
    });
  visit(document);
  // Not spread: arguments lie on the stack.
  for (const definition of definitions.values()) document.children.push(definition);
}

function addTitle(document: Root, title: string | null): void {
  const text = title?.replace(/\s+/g, ' ').trim() ?? '';
  const [first] = document.children;
  if (text === '' || (first?.type === 'heading' && readPlainText(first) === text)) return;
  document.children.unshift({ type: 'heading', depth: 1, children: [{ type: 'text', value: text }] });
}

function rewriteChildren(
  node: Nodes,
  rewrite: (child: RootContent) => readonly (RootContent | PhrasingContent)[],
): void {
  if (!('children' in node)) return;
  Object.assign(node, { children: node.children.flatMap((child) => rewrite(child)) });
}
