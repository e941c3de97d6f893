import { parseTree } from '../tree/parse-tree.ts';
import { extractFields, type Fields } from './extract-fields.ts';
import { collectSignals } from './signals.ts';

/** Fields of a page as the tests of each field want them; everything counts as main content. */
export function readFields(
  html: string,
  url = 'https://www.example.com/blog/a-page-of-the-tests',
  mainText = '',
): Fields {
  const tree = parseTree(html);
  return extractFields(tree, collectSignals(tree), { url, mainText, isInMain: () => true });
}
