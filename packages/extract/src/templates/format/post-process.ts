import { RE2JS } from 're2js';
import type { PostProcessor } from './template.ts';

export type ValueStep = (value: string) => string | undefined;

const MAX_VALUE_LENGTH = 10_000;

/**
 * Compiles a post-processor. Patterns use RE2 and take linear time; patterns that would be exponential in other engines
 * are refused as mistakes.
 *
 * @throws {Error} for an invalid pattern
 */
export function compileStep(step: PostProcessor): ValueStep {
  if (step.op === 'match') return compileMatch(step.pattern, step.group ?? 0);
  const { text } = step;
  const apply = TEXT_STEPS[step.op];
  return (value) => apply(value, text);
}

const TEXT_STEPS: Readonly<Record<Exclude<PostProcessor['op'], 'match'>, (value: string, text: string) => string>> = {
  strip_prefix: (value, text) => (value.startsWith(text) ? value.slice(text.length) : value),
  strip_suffix: (value, text) => (value.endsWith(text) ? value.slice(0, -text.length) : value),
  before: (value, text) => cut(value, value.indexOf(text), 0, 'start'),
  after: (value, text) => cut(value, value.indexOf(text), text.length, 'end'),
};

function cut(value: string, at: number, length: number, keep: 'start' | 'end'): string {
  if (at < 0) return value;
  return keep === 'start' ? value.slice(0, at) : value.slice(at + length);
}

function compileMatch(pattern: string, group: number): ValueStep {
  if (hasNestedRepeat(pattern)) throw new Error(`catastrophic pattern: a repeat inside a repeat: ${pattern}`);
  const compiled = RE2JS.compile(pattern);
  if (group > compiled.groupCount()) throw new Error(`the pattern has no group ${group}`);
  return (value) => {
    const matcher = compiled.matcher(value.slice(0, MAX_VALUE_LENGTH));
    return matcher.find() ? (matcher.group(group) ?? undefined) : undefined;
  };
}

/** Whether an unbounded repeat contains another: `(a+)+`, `(a|b*)*`, `((x*)y)+`. */
function hasNestedRepeat(pattern: string): boolean {
  const open: boolean[] = [];
  let inside = false;
  let inClass = false;
  let group = false;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === '\\') {
      i++;
      group = false;
    } else if (inClass) inClass = char !== ']';
    else if (char === '[') {
      inClass = true;
      group = false;
    } else if (char === '(') {
      open.push(inside);
      inside = false;
    } else if (char === ')') {
      group = inside;
      inside = (open.pop() ?? false) || inside;
    } else if (isUnboundedRepeat(pattern, i)) {
      if (group) return true;
      inside = true;
    } else group = false;
  }
  return false;
}

function isUnboundedRepeat(pattern: string, at: number): boolean {
  const char = pattern[at];
  return char === '*' || char === '+' || (char === '{' && /^\{\d*,\d*\}|^\{\d{3,}\}/.test(pattern.slice(at, at + 16)));
}
