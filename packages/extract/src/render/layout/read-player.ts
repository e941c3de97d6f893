import { TAG } from '../../tree/tags.ts';
import { collapse } from '../../tree/text/node-text.ts';
import { getAttribute, type Tree } from '../../tree/tree.ts';
import type { UrlResolver } from '../../tree/url-resolver.ts';

/** Addresses of players of videos and sound: "/embed/ID", or a host for players. Embedded posts end in "/embed/". */
const PLAYER =
  /^(?:https?:)?\/\/(?:(?:player|embed)\.[^/?#]{1,100}\/[^?#]|[^/?#]{1,100}\/(?:[^/?#]{1,40}\/){0,3}embed\/[^/?#])/i;
/** Scripts copy the address from the others when readers scroll to the frame or allow it. */
const SOURCES = ['src', 'data-src', 'data-lazy-src', 'data-litespeed-src', 'data-cookieblock-src'];
const MAX_ADDRESS = 2_000;
const MAX_TITLE = 300;

export function isPlayer(tree: Tree, node: number): boolean {
  return tree.tag[node] === TAG.iframe && findAddress(tree, node) !== undefined;
}

/** The absolute address and title of a player; `href` is null for an address that no reader can open. */
export function readPlayer(tree: Tree, node: number, urls: UrlResolver): { href: string | null; title: string } {
  const title = collapse((getAttribute(tree, node, 'title') ?? '').slice(0, MAX_TITLE));
  return { href: urls.resolve(findAddress(tree, node) ?? ''), title };
}

function findAddress(tree: Tree, node: number): string | undefined {
  for (const name of SOURCES) {
    const address = getAttribute(tree, node, name);
    if (address !== undefined && address.length <= MAX_ADDRESS && PLAYER.test(address)) return address;
  }
  return undefined;
}
