import { codeAt } from '../code-at.ts';
import { OTHER, TAG, TEXT } from '../tags.ts';
import { LightNode } from './light-tree-adapter.ts';

const MAX_STYLE = 10_000;
const BACKGROUND = /(?:^|;)\s*background(?:-image)?\s*:[^;]*?\burl\(\s*(?:"([^"]*)"|'([^']*)'|([^\s"')]+))\s*\)/i;

/** Elements that load the player of a video when a reader clicks, and the start of its address. */
const FACADE = /^(?:lite|amp)-(youtube|vimeo|dailymotion)$/;
const PLAYERS: Readonly<Record<string, string>> = {
  youtube: 'https://www.youtube.com/embed/',
  vimeo: 'https://player.vimeo.com/video/',
  dailymotion: 'https://www.dailymotion.com/embed/video/',
};
const VIDEO_ID = /^[\w-]{1,40}$/;

/** Makes an element that stands for the player of a video the frame that its script puts there. */
export function restorePlayer(node: LightNode): void {
  if (node.kind !== OTHER) return;
  const [, site = ''] = FACADE.exec(node.value) ?? [];
  if (site === '') return;
  const read = (...names: string[]): string => node.attributes.find(({ name }) => names.includes(name))?.value ?? '';
  const id = read('videoid', 'data-videoid');
  if (!VIDEO_ID.test(id)) return;
  node.kind = TAG.iframe;
  node.value = 'iframe';
  node.firstChild = node.lastChild = null;
  const title = read('title', 'playlabel', 'data-title').replace(/^play:\s*/i, '');
  node.attributes = [
    { name: 'src', value: `${PLAYERS[site]}${id}` },
    { name: 'title', value: title },
  ];
}

/** Makes an empty element with the role of an image and a background of its own an `<img>`. */
export function restorePicture(node: LightNode): void {
  if (node.kind <= TEXT || node.attributes.length < 2 || !isEmpty(node)) return;
  let role = '';
  let style = '';
  for (const { name, value } of node.attributes) {
    if (name === 'role') role = value;
    else if (name === 'style') style = value;
  }
  if (role.trim().toLowerCase() !== 'img' || style.length > MAX_STYLE) return;
  const [, ...sources] = BACKGROUND.exec(style) ?? [];
  const src = sources.find((source) => source !== undefined);
  if (src === undefined) return;
  const alt = node.attributes.find(({ name }) => name === 'aria-label')?.value ?? '';
  node.kind = TAG.img;
  node.value = 'img';
  node.firstChild = node.lastChild = null;
  node.attributes = [{ name: 'src', value: src }, { name: 'alt', value: alt }, ...node.attributes];
}

/** Fonts that draw a word as a picture: `<i class="material-icons">home</i>`. */
const ICON_FONT = /(?:^|\s)material-(?:icons|symbols)(?:-[a-z]{1,20})?(?:\s|$)/;
const EMOJI = /^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200d|\ufe0f)+$/u;
const MAX_EMOJI = 40;

/** Icons that answer a question, such as whether a plan has a feature. */
const ANSWER = /^\s*(?:check|check_circle|done)\s*$/;

/** Empties elements whose font draws their word as a picture, and makes a picture of an emoji its character. */
export function restoreSign(node: LightNode): void {
  if (node.kind === TAG.img) restoreEmoji(node);
  else if (node.kind === TAG.i || node.kind === TAG.span) restoreIcon(node);
}

function restoreIcon(node: LightNode): void {
  const isIcon = node.attributes.some(
    ({ name, value }) => name === 'class' && value.includes('material-') && ICON_FONT.test(value),
  );
  const word = isIcon ? node.firstChild : null;
  if (word === null) return;
  if (word.kind === TEXT && ANSWER.test(word.value)) word.value = '✓';
  else node.firstChild = node.lastChild = null;
}

function restoreEmoji(node: LightNode): void {
  let alt = '';
  for (const { name, value } of node.attributes) if (name === 'alt') alt = value;
  // Most alternative texts have a letter.
  if (alt.length === 0 || alt.length > MAX_EMOJI || codeAt(alt, 0) < FIRST_EMOJI || !EMOJI.test(alt)) return;
  node.kind = TAG.span;
  node.value = 'span';
  node.attributes = [];
  const text = new LightNode(TEXT, alt, node.namespace, []);
  text.parent = node;
  node.firstChild = node.lastChild = text;
}

/** The trademark sign and the like have lower codes. */
const FIRST_EMOJI = 0x2190;

function isEmpty({ firstChild: child }: LightNode): boolean {
  return child === null || (child.kind === TEXT && child.next === null && !/\S/.test(child.value));
}
