/**
 * How likely a class token, id or attribute value is to mean the same on the site's other pages and after its
 * next release: 0 to 1. Names that people chose say what a thing is; names that tools made do not.
 */
export function rateName(name: string): number {
  if (name.length < 2 || name.length > 60) return 0;
  // Only such names can stand in a selector as they are.
  if (!/^-?[A-Za-z_][\w-]*$/.test(name)) return 0;
  return UNSTABLE.find(([pattern]) => pattern.test(name))?.[1] ?? 1;
}

/** First match wins. */
const UNSTABLE: readonly (readonly [RegExp, number])[] = [
  // Numbers of posts, widgets and the like: post-18342, widget_3, node12.
  [/\d{3}/, 0],
  // The tools' own marks: css-1x2y3z, sc-bdVaJa, jsx-328, svelte-1tky8bj, _3xYz9.
  [/^(?:css|sc|jsx|svelte|emotion|jss|styled|tw|astro|elementor-element)-[A-Za-z0-9]+$/i, 0.1],
  [/^_|__[A-Za-z0-9]{4,6}$|_[A-Za-z0-9]{5,6}$/, 0.15],
  // Letters and digits, or cases, mixed as no person mixes them.
  [/(?:[a-z]\d|\d[a-z]){2}/i, 0.1],
  [/[-_][a-z]*\d+[a-z][\da-z]*$/i, 0.2],
  [/^[a-z]{0,3}[A-Z][a-z]?[A-Z]+[a-z]*[A-Z]/, 0.2],
  // States and looks: what a page of the same kind may not share.
  [/^(?:is|has|js|no|active|current|open|selected|hidden|visible|show|loaded|first|last|odd|even)(?:[-_]|$)/i, 0.2],
  [
    /^(?:m|p|mt|mb|ml|mr|mx|my|pt|pb|pl|pr|px|py|w|h|d|col|row|text|bg|flex|grid|items|justify|font|border|rounded|leading|max|min|gap|space|z|order|offset|align|float|clear|wp-block-[a-z]+)-[\w-]*$/i,
    0.3,
  ],
  [/^(?:status|category|tag|type|format|post_tag|author)-[\w-]+$/i, 0.2],
  [
    /^(?:row|col|container|wrapper|wrap|inner|outer|clearfix|flex|grid|block|inline|relative|absolute|left|right|center|item|box|text|link|title|content|body|section|main)$/i,
    0.7,
  ],
  [/\d/, 0.7],
];
