/** A second layer: the frame's sandbox and policy already block scripts, navigation and loading. */

/** Removed with their content. */
export const DROPPED_ELEMENTS: ReadonlySet<string> = new Set(
  [
    ['script', 'noscript', 'template', 'object', 'embed', 'applet', 'audio', 'video', 'source', 'track'],
    ['iframe', 'frame', 'frameset', 'noframes', 'portal', 'fencedframe'],
    // Change the base, refresh or style.
    ['base', 'meta', 'link', 'title'],
    ['animate', 'animatemotion', 'animatetransform', 'set', 'discard'],
  ].flat(),
);

/** An allow list, so that future attributes are excluded. */
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

export const EMBEDDED_IMAGE: RegExp = /^\s*data:image\/(?:png|jpe?g|gif|webp|avif|bmp)[;,]/i;

/** The tree of a larger page exceeds a thread's memory. */
export const MAX_DRAWN_LENGTH = 6_000_000;

/** Browsers themselves stop at 512. */
export const MAX_DRAWN_DEPTH = 1500;
