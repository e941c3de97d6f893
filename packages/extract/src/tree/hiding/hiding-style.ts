/** Longer styles are ignored. */
const MAX_STYLE = 2_000;

/** Quick filter: most styles do not match. */
const MAY_HIDE = /none|hidden|collapse|clip|:\s*-/i;
const GONE = /(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))/i;
const RENDERING = /(?:^|[;\s])(display|visibility)\s*:\s*([a-z]+)/gi;
const OFF_SCREEN = /(?:^|[;\s])(?:(?:margin-)?(?:left|top|right|bottom))\s*:\s*-(?:(?:999|\d{4,9})px|\d{3,9}r?em)/i;
/** With a background, the text is the label of a picture. */
const INDENTED = /(?:^|[;\s])text-indent\s*:\s*-(?:(?:999|\d{4,9})px|\d{3,9}(?:r?em|%))/i;
const CLIPPED =
  /(?:^|[;\s])(?:clip\s*:\s*rect\(\s*(?:0|1px)[\s,p]|clip-path\s*:\s*(?:inset\(\s*(?:50|100)%|circle\(\s*0))/i;
const NO_SIZE = /(?:^|[;\s])(?:max-)?(?:width|height)\s*:\s*[01](?:px|r?em|%|pt)?\s*(?:!|;|$)/i;
const CUT_OFF = /(?:^|[;\s])overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/i;
const NO_FONT = /(?:^|[;\s])font(?:-size)?\s*:\s*0(?:\.0{1,3})?(?:px|r?em|%|pt)?\s*(?:!|;|\/|\s|$)/i;
const CLEAR = /(?:^|[;\s])(?:opacity\s*:\s*(?:0|0?\.0{1,9}\d?)%?\s*(?:!|;|$)|color\s*:\s*transparent)/i;
const ANIMATED = /transform|transition|animation|will-change|filter\s*:/i;
const COLOR = /(?:^|[;\s])color\s*:\s*([^;!]+)/i;
const BACKGROUND = /(?:^|[;\s])background(?:-color)?\s*:\s*([^;!]+)/i;
const NAMED_COLORS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    white: '#ffffff',
    black: '#000000',
    red: '#ff0000',
    blue: '#0000ff',
    green: '#008000',
    yellow: '#ffff00',
    gray: '#808080',
    grey: '#808080',
    silver: '#c0c0c0',
  }),
);

/** Whether declarations hide an element: not rendered, clipped, off the screen. */
export function isHidingStyle(style: string): boolean {
  if (style.length > MAX_STYLE || !MAY_HIDE.test(style)) return false;
  if ((GONE.test(style) && isGone(style)) || OFF_SCREEN.test(style) || CLIPPED.test(style)) return true;
  if (INDENTED.test(style) && !BACKGROUND.test(style)) return true;
  return NO_SIZE.test(style) && CUT_OFF.test(style);
}

/** The last declaration of a property counts. */
function isGone(style: string): boolean {
  let display = '';
  let visibility = '';
  for (const [, property = '', value = ''] of style.matchAll(RENDERING)) {
    if (property.toLowerCase() === 'display') display = value.toLowerCase();
    else visibility = value.toLowerCase();
  }
  return display === 'none' || visibility === 'hidden' || visibility === 'collapse';
}

/** Whether a `style` makes text invisible: no font size, opacity or contrast. */
export function isFaintStyle(style: string): boolean {
  if (style.length > MAX_STYLE) return false;
  if (NO_FONT.test(style)) return true;
  return (CLEAR.test(style) && !ANIMATED.test(style)) || hasNoContrast(style);
}

function hasNoContrast(style: string): boolean {
  const text = COLOR.exec(style)?.[1];
  const ground = text === undefined ? undefined : BACKGROUND.exec(style)?.[1];
  return text !== undefined && ground !== undefined && toHex(text) === toHex(ground);
}

/** Normalises opaque colours; keeps other values. */
function toHex(value: string): string {
  const color = value.trim().toLowerCase();
  const short = /^#([\da-f])([\da-f])([\da-f])$/.exec(color);
  if (short !== null)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`;
  const parts = /^rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})(?:\s*[,/]\s*1(?:\.0{1,3})?)?\s*\)$/.exec(color);
  if (parts === null) return NAMED_COLORS.get(color) ?? color;
  return `#${parts
    .slice(1)
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`;
}
