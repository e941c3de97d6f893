import { isSameColor, LEAST_ALPHA, parseColor, type Color } from './colors.ts';
import type { Declarations, StyleProperty } from './declarations.ts';

/** Effects of declarations, as bits. Not rendered, clipped or off the screen. */
export const GONE = 2;
/** Invisible, whatever inner elements declare. */
export const CLEAR = 4;
/** Invisible unless inner elements declare a font size or a colour. */
export const FAINT = 8;
/** Declares an opaque colour for its text and none for its background. */
export const COLORED = 16;

/** Quick filter for declarations that may hide; most do not match. */
const MAY_HIDE =
  /display\s*:\s*none|visibility\s*:\s*[hc]|collapse|color\s*:\s*transparent|clip(?:-path)?\s*:|mask(?:-image)?\s*:|opacity\s*[:(]\s*(?:0(?!\.[1-9])|\.0)|scale(?:[xy]|3d)?\s*[:(]\s*0|rotate[xy]|matrix\(\s*0|zoom\s*:\s*(?:0|\.0)|line-height\s*:\s*0|font(?:-size)?\s*:\s*(?:0(?!\.[2-9])|\.[01]|[12](?:px|pt|[\s/]))|(?:width|height)\s*:\s*[01](?:px|r?em|pt|%)?\s*(?:[;!}]|$)|[:(\s]-\d{2}|(?:display|visibility|opacity|font-size|(?:^|[;\s])color)\s*:\s?var\(|\\|\/\*|fill-color|[/,]\s?0?(?:\.0\d?)?%?\)|#(?:[\da-f]{4}|[\da-f]{8})(?![\da-f])/i;
const MAY_COLOR = /(?:^|[^-])color\s*:/i;

const LENGTH = /^(-?[\d.]{1,12})(px|r?em|ch|pt|%|d?v[hw]|s?v[hw])?$/;
const OFF_SCREEN: Readonly<Record<string, number>> = { px: -999, em: -100, rem: -100, ch: -150, pt: -750 };
const OFF_VIEWPORT = -100;
/** Smaller sizes of text or boxes, in pixels. */
const LEAST_FONT = 3;
const LEAST_BOX = 1;
const PIXELS: Readonly<Record<string, number>> = { px: 1, pt: 4 / 3, em: 16, rem: 16, ch: 8, '%': 0.16 };

const OFFSETS: readonly StyleProperty[] = [
  'left',
  'top',
  'right',
  'bottom',
  'margin-left',
  'margin-top',
  'margin-right',
  'margin-bottom',
];
const OVERFLOWS: readonly StyleProperty[] = ['overflow', 'overflow-x', 'overflow-y'];
/** Groups of properties, as bits: a style without one is not tested for its effects. */
const SHOWN = 1;
const PLACED = 2;
const CUT = 4;
const FADED = 8;
const WRITTEN = 16;
const PAINTED = 32;
const GROUPS: ReadonlyMap<StyleProperty, number> = new Map<StyleProperty, number>([
  ...(['display', 'visibility', 'content-visibility'] as const).map((property) => [property, SHOWN] as const),
  ...([...OFFSETS, 'text-indent', 'inset', 'translate'] as const).map((property) => [property, PLACED] as const),
  ...([...OVERFLOWS, 'clip', 'clip-path', 'zoom', 'scale'] as const).map((property) => [property, CUT] as const),
  ['transform', PLACED | CUT],
  ...(['opacity', 'filter', 'mask', 'mask-image'] as const).map((property) => [property, FADED] as const),
  ...(['font', 'font-size'] as const).map((property) => [property, WRITTEN] as const),
  ...(['color', 'text-fill-color'] as const).map((property) => [property, PAINTED] as const),
]);
const SIZES: readonly StyleProperty[] = ['width', 'height', 'max-width', 'max-height', 'line-height'];
const NO_CLIP_PATH =
  /^(?:inset\(\s*(?:[5-9]\d|\d{3,9})(?:\.\d{1,9})?%|(?:circle|ellipse)\(\s*0(?:px|%)?[\s)]|polygon\(([^\s,()]{1,20} [^\s,()]{1,20})(?:, ?\1){1,40}\))/;
const NO_CLIP = /^rect\(\s*(?:0(?:px)?|1px)[\s,]/;
const NO_SCALE = /^(?:scale(?:[xy]|3d)?\(\s*0(?:\.0\d{0,9})?\s*[,)]|rotate[xy]\(\s*-?90deg|matrix\(\s*0\s*,\s*0\s*,)/;
const MOVED = /translate(?:[xy]|3d)?\(\s*([^(),]{1,20})(?:,\s*([^(),]{1,20}))?/;
const TRANSITIONS: readonly StyleProperty[] = [
  'transition',
  'transition-property',
  'transition-duration',
  'animation',
  'animation-name',
];
const REVEALED_BY: readonly StyleProperty[] = [...TRANSITIONS, 'transform', 'will-change'];
const PICTURE = /url\(|gradient\(|image-set\(/;

/** Whether declarations may hide text by themselves. A cheap test, before they are parsed. */
export function mayHide(declarations: string): boolean {
  return MAY_HIDE.test(declarations);
}

export function mayColor(declarations: string): boolean {
  return MAY_COLOR.test(declarations);
}

/** Returns the effects of declarations as bits. */
export function judgeStyle(style: Declarations): number {
  let groups = 0;
  for (const property of style.keys()) groups |= GROUPS.get(property) ?? 0;
  const isOf = (group: number): boolean => (groups & group) !== 0;
  let bits = 0;
  if ((isOf(SHOWN) && isGone(style)) || (isOf(PLACED) && isOffScreen(style)) || (isOf(CUT) && isCutOff(style)))
    bits = GONE;
  if (isOf(FADED) && isClear(style)) bits |= CLEAR;
  if ((isOf(WRITTEN) && hasNoFont(style)) || (isOf(PAINTED) && hasNoColor(style))) bits |= FAINT;
  else if (isOf(PAINTED) && readTextColor(style) !== undefined && readGround(style) === undefined) bits |= COLORED;
  return bits;
}

export function readTextColor(style: Declarations): Color | undefined {
  const value = style.get('text-fill-color')?.value ?? style.get('color')?.value;
  return value === undefined ? undefined : parseColor(value);
}

/** The background: `picture` if it is not one colour, undefined if the element declares none. */
export function readGround(style: Declarations): Color | 'picture' | undefined {
  const image = style.get('background-image')?.value ?? '';
  const shorthand = style.get('background')?.value ?? '';
  if (PICTURE.test(image) || PICTURE.test(shorthand)) return 'picture';
  const value = style.get('background-color')?.value ?? shorthand;
  if (value === '') return undefined;
  const color = readGroundColor(value);
  if (color === undefined) return /^(?:none|inherit|initial|unset|revert)\b/.test(value) ? undefined : 'picture';
  if (color[3] < LEAST_ALPHA) return undefined;
  return color[3] === 1 ? color : 'picture';
}

/** The colour in a `background` or `background-color`. */
export function readGroundColor(value: string): Color | undefined {
  const whole = parseColor(value);
  if (whole !== undefined) return whole;
  const parts = value.slice(0, 99).split(' ');
  return parseColor(parts.find((part) => parseColor(part)) ?? '');
}

function isGone(style: Declarations): boolean {
  const visibility = style.get('visibility')?.value;
  return (
    style.get('display')?.value === 'none' ||
    visibility === 'hidden' ||
    visibility === 'collapse' ||
    style.get('content-visibility')?.value === 'hidden'
  );
}

function isOffScreen(style: Declarations): boolean {
  if (OFFSETS.some((name) => isFarOff(style.get(name)?.value, !name.startsWith('margin')))) return true;
  if (isFarOff(style.get('text-indent')?.value, false) && readGround(style) === undefined) return true;
  if (
    style
      .get('inset')
      ?.value.split(' ')
      .some((value) => isFarOff(value, true)) === true
  )
    return true;
  const transform = style.get('transform')?.value ?? '';
  const translate = style.get('translate')?.value ?? '';
  if (translate.split(' ').some((value) => isFarOff(value, false))) return true;
  const moved = transform === '' ? null : MOVED.exec(transform);
  return moved !== null && moved.slice(1).some((value) => isFarOff(value?.trim(), false));
}

/** @param countsScreens whether 100vh and the like are far: sliders move their slides by screens */
function isFarOff(value: string | undefined, countsScreens: boolean): boolean {
  if (value === undefined || !value.startsWith('-')) return false;
  const [, size = '', unit = 'px'] = LENGTH.exec(value) ?? [];
  const isScreen = unit.endsWith('h') ? unit !== 'ch' : unit.endsWith('w');
  if (isScreen) return countsScreens && Number(size) <= OFF_VIEWPORT;
  if (unit === '%') return Number(size) <= -999;
  return size !== '' && Number(size) <= (OFF_SCREEN[unit] ?? -Infinity);
}

function isCutOff(style: Declarations): boolean {
  if (NO_CLIP_PATH.test(style.get('clip-path')?.value ?? '') || NO_CLIP.test(style.get('clip')?.value ?? ''))
    return true;
  if (OVERFLOWS.some((name) => /^(?:hidden|clip)/.test(style.get(name)?.value ?? ''))) {
    if (SIZES.some((name) => isAtMost(style.get(name)?.value, LEAST_BOX, name === 'line-height'))) return true;
  }
  if (isAtMost(style.get('zoom')?.value, 0.05 * PIXELS.em, true)) return true;
  if (isAnimated(style, TRANSITIONS)) return false;
  return (
    NO_SCALE.test(style.get('transform')?.value ?? '') ||
    /^0(?:\.0\d{0,9})?(?: |$)/.test(style.get('scale')?.value ?? '')
  );
}

/** @param isFactor whether a number without unit counts lines */
function isAtMost(value: string | undefined, pixels: number, isFactor = false): boolean {
  if (value === undefined) return false;
  const [, size, unit] = LENGTH.exec(value) ?? [];
  if (size === undefined) return false;
  if (unit === undefined) return isFactor ? Number(size) * PIXELS.em <= pixels : Number(size) === 0;
  // A share of an unknown size.
  if (unit === '%') return Number(size) === 0;
  return Number(size) * (PIXELS[unit] ?? Infinity) <= pixels;
}

function isClear(style: Declarations): boolean {
  const opacity = style.get('opacity')?.value ?? '';
  const filter = /opacity\(\s*([\d.]{1,9}%?)\s*\)/.exec(style.get('filter')?.value ?? '')?.[1] ?? '';
  const isFaded = isTiny(opacity) || isTiny(filter);
  return (isFaded && !isAnimated(style, REVEALED_BY)) || isMasked(style);
}

function isTiny(value: string): boolean {
  const [, size, unit] = LENGTH.exec(value) ?? [];
  return size !== undefined && Number(size) / (unit === '%' ? 100 : 1) <= LEAST_ALPHA;
}

function isMasked(style: Declarations): boolean {
  const mask = style.get('mask')?.value ?? style.get('mask-image')?.value ?? '';
  return /^[a-z-]{0,20}gradient\((?:transparent[\d %,]{0,20}){1,9}\)/.test(mask);
}

function isAnimated(style: Declarations, names: readonly StyleProperty[]): boolean {
  return names.some((name) => style.has(name) && style.get(name)?.value !== 'none');
}

function hasNoFont(style: Declarations): boolean {
  const size =
    style.get('font-size')?.value ??
    /(?:^| )([\d.]{1,9}(?:px|pt|r?em|%)?)(?:\/| )/.exec(style.get('font')?.value ?? '')?.[1];
  if (size === undefined) return false;
  const [, number, unit = 'px'] = LENGTH.exec(size) ?? [];
  return number !== undefined && Number(number) * (PIXELS[unit] ?? Infinity) < LEAST_FONT;
}

function hasNoColor(style: Declarations): boolean {
  const color = readTextColor(style);
  if (color === undefined || style.get('background-clip')?.value === 'text') return false;
  const ground = readGround(style);
  if (color[3] < LEAST_ALPHA) return ground !== 'picture' && !style.has('text-shadow');
  return ground !== undefined && ground !== 'picture' && isSameColor(color, ground);
}
