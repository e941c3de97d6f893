/** Scripts that load more of a page as it is scrolled. Expressions are linear on untrusted pages. */

const MAX_SCRIPT = 100_000;
const MAX_PLACES = 5;
/** Characters before and after a mention of the end of the page. */
const WINDOW = 1_500;
/** A position compared with a height, or an observer of what comes into sight. */
const NEAR_END =
  /new IntersectionObserver|addEventListener\(\s{0,3}["'`](?:scrollend|wheel)["'`]|(?:scrollTop|scrollY|pageYOffset|scrollTop\(\))[^;{}]{0,160}(?:scrollHeight|offsetHeight|\(document\)\.height\(\))|(?:scrollHeight|offsetHeight|\(document\)\.height\(\))[^;{}]{0,160}(?:scrollTop|scrollY|pageYOffset)|getBoundingClientRect\(\)\.(?:top|bottom)\s{0,3}<=?[^;{}]{0,40}(?:innerHeight|clientHeight)/g;
const REQUESTS = /\bfetch\s*\(|XMLHttpRequest|\baxios\b|\.(?:getJSON|ajax)\s*\(|\$\.(?:get|post)\s*\(/;
const ADDS =
  /insertAdjacent(?:HTML|Element)\s*\(\s*["'`](?:before|after)|\.(?:append|prepend)(?:Child|To)?\s*\(|innerHTML\s*\+=|insertBefore\s*\(|\.(?:after|before)\s*\(|\.push\s*\(\s*\.\.\.|\.concat\s*\(|=\s*\[\s*\.\.\./;

/** Tests for a script that requests data and adds it to the page when readers come near its end. */
export function loadsOnScroll(script: string): boolean {
  if (script.length > MAX_SCRIPT || !(script.includes('croll') || script.includes('Observer'))) return false;
  let places = 0;
  for (const { index } of script.matchAll(NEAR_END)) {
    const around = script.slice(Math.max(0, index - WINDOW), index + WINDOW);
    if (REQUESTS.test(around) && ADDS.test(around)) return true;
    if (++places === MAX_PLACES) break;
  }
  return false;
}
