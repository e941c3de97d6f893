/** A rule for unrendered app shells. Expressions must be linear on untrusted pages, like the block rules. */
export interface ShellRule {
  readonly reason: string;
  readonly html: RegExp;
  readonly maxText: number;
}

const SCRIPT = /<script\b/i;

export const SHELL_RULES: readonly ShellRule[] = [
  { reason: 'next to no text, but scripts', html: SCRIPT, maxText: 150 },
  {
    reason: 'an empty root element that scripts fill',
    html: /<(?:div|main|section)(?=[^<>]*\bid=["']?(?:root|app|__next|__nuxt|___gatsby|app-root|react-root|svelte|q-app|application|main-app|ember-app))[^<>]*>\s*(?:<!--[^<>]*-->\s*)*<\/(?:div|main|section)>/i,
    maxText: 1200,
  },
  { reason: 'an empty root component', html: /<(app-root|my-app|app-main|ion-app)\b[^<>]*>\s*<\/\1>/i, maxText: 1200 },
  {
    reason: 'the page asks for JavaScript',
    html: /<noscript[^<>]*>(?:(?!<\/?noscript)[\s\S]){0,600}?(?:(?:enable|requires?|needs?|turn on|activate|without|allow)[^<]{0,40}java ?script|java ?script[^<]{0,60}(?:enable|required|disabled|needed|activate|turn))/i,
    maxText: 800,
  },
  {
    reason: 'a placeholder for content that is being loaded',
    html: /(?:class|id)=["'][^"']*(?:skeleton|spinner|loading|loader|preloader|placeholder-glow)\b|>\s*loading(?:\.{3}|…)?\s*</i,
    maxText: 400,
  },
];
