import { parse, type DefaultTreeAdapterTypes } from 'parse5';

const INLINE: ReadonlySet<string> = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i ins kbd mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
);

/** Returns the text of a contender's HTML, with a line break at the edges of every block so that words stay apart. */
export function joinText(html: string): string {
  let text = '';
  const open: DefaultTreeAdapterTypes.Node[] = [parse(html)];
  while (open.length > 0) {
    const node = open.pop()!;
    if ('value' in node) text += node.value;
    else if (node.nodeName === '#break') text += '\n';
    else if ('childNodes' in node && node.nodeName !== 'script' && node.nodeName !== 'style') {
      const isBlock = !INLINE.has(node.nodeName);
      if (isBlock) text += '\n';
      open.push(...(isBlock ? [BREAK] : []), ...node.childNodes.toReversed());
    }
  }
  return text;
}

const BREAK = { nodeName: '#break' } as DefaultTreeAdapterTypes.Node;
