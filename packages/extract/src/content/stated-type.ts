import type { PageType } from '../types/extraction.ts';
import { TAG } from '../tree/tags.ts';
import { getAttribute, getTextContent, type Tree } from '../tree/tree.ts';

const MOST_DATA = 200_000;
const MAX_VALUE = 200;
const DISCUSSION = '(?:DiscussionForumPosting|QAPage)';
const DISCUSSION_TYPE: RegExp = new RegExp(`schema\\.org/${DISCUSSION}$`);
const DISCUSSION_DATA: RegExp = new RegExp(
  `"@type"\\s{0,9}:\\s{0,9}(?:\\[\\s{0,9})?"(?:https?://schema\\.org/)?${DISCUSSION}"`,
);
const RECIPE_TYPE = /schema\.org\/Recipe$/;
const INGREDIENTS = /"recipeIngredient"\s{0,9}:/g;
const FORUM_SOFTWARE = /^(?:discourse|flarum|mybb|phpbb|simple machines|woltlab|xenforo)\b/i;

/**
 * Returns the type of a page that its data states beyond doubt: a thread of a forum, or one recipe, which is an article.
 * All of 95 and 299 labelled pages with such data have these types.
 */
export function readStatedType(tree: Tree): PageType | undefined {
  let [inData, inMarkup] = [0, 0];
  for (let node = 1; node < tree.size; node++) {
    if (tree.attributes[node] === undefined) continue;
    const tag = tree.tag[node];
    if (tag === TAG.script) {
      if (getAttribute(tree, node, 'type') !== 'application/ld+json') continue;
      const data = getTextContent(tree, node).slice(0, MOST_DATA);
      if (DISCUSSION_DATA.test(data)) return 'forum';
      inData += data.match(INGREDIENTS)?.length ?? 0;
    } else if (tag === TAG.meta) {
      if (getAttribute(tree, node, 'name') !== 'generator') continue;
      if (FORUM_SOFTWARE.test((getAttribute(tree, node, 'content') ?? '').slice(0, MAX_VALUE))) return 'forum';
    } else {
      const type = getAttribute(tree, node, 'itemtype');
      if (type === undefined || type.length > MAX_VALUE) continue;
      if (DISCUSSION_TYPE.test(type)) return 'forum';
      if (RECIPE_TYPE.test(type)) inMarkup++;
    }
  }
  return inData === 1 || (inData === 0 && inMarkup === 1) ? 'article' : undefined;
}
