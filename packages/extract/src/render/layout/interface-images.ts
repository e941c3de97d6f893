import { decodeHTMLStrict } from 'entities';
import { TAG } from '../../tree/tags.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import { collapseSpaces } from '../../tree/text/clean-characters.ts';

const ICON_SIZE = 32;
const BUTTON_ICON_SIZE = 64;
const MAX_BUTTON_DEPTH = 5;

/** Addresses at which readers share a page. */
const SHARES =
  /^(?:https?:)?\/\/(?:[a-z-]{1,20}\.)?(?:(?:twitter|x)\.com\/(?:intent|share)|facebook\.com\/(?:sharer|share\.php|dialog)|linkedin\.com\/(?:shareArticle|sharing)|line\.me\/(?:[a-z]{2,8}\/)?(?:share|R\/msg)|t\.me\/share|wa\.me\/\?|whatsapp\.com\/send|reddit\.com\/submit|vk\.com\/share|tumblr\.com\/(?:share|widgets\/share)|getpocket\.com\/(?:edit|save))/i;

/** Alternative texts of the signs of networks. */
const NETWORK =
  /^(?:(?:follow|find|join) us on |share on )?(facebook|twitter|x|instagram|linkedin|youtube|pinterest|whatsapp|telegram|tiktok|threads|mastodon|bluesky|reddit|snapchat|xing)(?: (?:icon|logo))?$/i;
const MAX_ALT = 60;
const MAX_ADDRESS = 500;

/** Whether an image belongs to the interface: in a button or a link that shares the page or leads to a network, or small without text. */
export function isInterfaceImage(tree: Tree, node: number): boolean {
  return isIcon(tree, node) || isButtonIcon(tree, node) || isShareIcon(tree, node);
}

/** Alternative text of an image, cleaned. Some pages escape it twice. */
export function readAltText(tree: Tree, node: number): string {
  const alt = getAttribute(tree, node, 'alt') ?? '';
  return collapseSpaces(alt.includes('&') ? decodeHTMLStrict(alt) : alt).trim();
}

function isIcon(tree: Tree, node: number): boolean {
  return (getAttribute(tree, node, 'alt') ?? '').trim() === '' && isWithin(tree, node, ICON_SIZE);
}

function isShareIcon(tree: Tree, node: number): boolean {
  let around = tree.parent[node];
  for (let depth = 0; depth < MAX_BUTTON_DEPTH && around > 0; depth++, around = tree.parent[around])
    if (tree.tag[around] === TAG.a) {
      const address = (getAttribute(tree, around, 'href') ?? '').slice(0, MAX_ADDRESS);
      return SHARES.test(address) || leadsToNetwork(tree, node, address);
    }
  return false;
}

/** Whether an image in a link is the small sign of a network, or names the network to which the link leads. */
function leadsToNetwork(tree: Tree, image: number, address: string): boolean {
  const network = NETWORK.exec(readAltText(tree, image).slice(0, MAX_ALT))?.[1].toLowerCase();
  if (network === undefined) return false;
  return isWithin(tree, image, BUTTON_ICON_SIZE) || address.toLowerCase().includes(`${network}.com/`);
}

/** A picture in a zoom button has a size or several sources, or is in a figure. */
function isButtonIcon(tree: Tree, node: number): boolean {
  const isSized = ['width', 'height'].some((name) => getAttribute(tree, node, name) !== undefined);
  if (getAttribute(tree, node, 'srcset') !== undefined || (isSized && !isWithin(tree, node, BUTTON_ICON_SIZE)))
    return false;
  let isButton = false;
  let around = tree.parent[node];
  for (let depth = 0; depth < MAX_BUTTON_DEPTH && around > 0; depth++) {
    if (tree.tag[around] === TAG.figure) return false;
    isButton ||= tree.tag[around] === TAG.button || getAttribute(tree, around, 'role') === 'button';
    around = tree.parent[around];
  }
  return isButton;
}

/** Whether all stated sizes of an image are at most so many pixels; false if none is stated. */
function isWithin(tree: Tree, node: number, pixels: number): boolean {
  const sizes = ['width', 'height'].map((name) => Number.parseInt(getAttribute(tree, node, name) ?? '', 10));
  const stated = sizes.filter((size) => !Number.isNaN(size));
  return stated.length > 0 && stated.every((size) => size <= pixels);
}
