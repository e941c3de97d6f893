/**
 * What of a stored page may be drawn in the console. The frame's sandbox and policy already keep the page
 * from running, navigating and loading; these tables take away what would try, as a second wall.
 */

/** Elements that are left out with everything in them. */
export const DROPPED_ELEMENTS: ReadonlySet<string> = new Set(
  [
    // Run or load something.
    ['script', 'noscript', 'template', 'object', 'embed', 'applet', 'audio', 'video', 'source', 'track'],
    // Show another document.
    ['iframe', 'frame', 'frameset', 'noframes', 'portal', 'fencedframe'],
    // Change what the document is: its base, its refresh, its style sheets from elsewhere.
    ['base', 'meta', 'link', 'title'],
    // Set attributes of other elements over time.
    ['animate', 'animatemotion', 'animatetransform', 'set', 'discard'],
  ].flat(),
);

/** Attributes that are kept; everything else goes, whatever it will be called in the future. */
export const KEPT_ATTRIBUTES: ReadonlySet<string> = new Set(
  [
    ['class', 'id', 'style', 'dir', 'lang', 'title', 'alt', 'hidden', 'open', 'role'],
    ['width', 'height', 'align', 'valign', 'bgcolor', 'color', 'border', 'cellpadding', 'cellspacing'],
    ['colspan', 'rowspan', 'span', 'start', 'reversed', 'type', 'value', 'checked', 'disabled', 'selected'],
    ['placeholder', 'rows', 'cols', 'size', 'label', 'datetime', 'face', 'nowrap'],
    ['viewbox', 'viewBox', 'd', 'fill', 'stroke', 'stroke-width', 'x', 'y', 'x1', 'x2', 'y1', 'y2'],
    ['cx', 'cy', 'r', 'rx', 'ry', 'points', 'transform', 'xmlns', 'opacity', 'fill-rule', 'clip-rule'],
  ].flat(),
);

/** The one kind of address that is drawn: a picture that lies in the page itself. */
export const EMBEDDED_IMAGE: RegExp = /^\s*data:image\/(?:png|jpe?g|gif|webp|avif|bmp)[;,]/i;

/** A page larger than this (in characters) is not drawn: its tree would take more memory than a thread has. */
export const MAX_DRAWN_LENGTH = 6_000_000;

/** A page that nests deeper than this is not drawn; browsers themselves stop at 512. */
export const MAX_DRAWN_DEPTH = 1500;
