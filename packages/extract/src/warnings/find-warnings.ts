import { ACCEPT, CONSENT } from '../page/consent-phrases.ts';
import type { Signals } from '../page/signals.ts';
import { cut } from '../tree/text/node-text.ts';
import type { Tree } from '../tree/tree.ts';
import type { PageWarning, WarningCode } from '../types/warnings.ts';
import {
  hasCaptcha,
  hasEmptyRoot,
  hasPaywallMark,
  listButtonLabels,
  readImpression,
  type PageImpression,
} from './page-impression.ts';
import {
  AGE_ANSWER,
  ASKS_AGE,
  CHALLENGE,
  FOR_SUBSCRIBERS,
  LOADING,
  MUST_SIGN_IN,
  NEEDS_SCRIPTS,
  NOT_FOUND,
  OUT_OF_ORDER,
  QUEUE,
  REFUSED_ACCESS,
  SIGN_IN,
  TO_REPLY,
} from './wall-phrases.ts';

/** In characters; Chinese, Japanese and Korean ones count twice. */
const LONGEST_WALL = 3_000;
const NEAR_EMPTY = 100;
const MAX_HEADING = 100;
/** Length of the end that may contain a subscription offer. */
const END_LENGTH = 600;
const WHOLE = 0.8;
const MAX_OBJECTS = 100;

interface Look extends PageImpression {
  readonly tree: Tree;
  readonly mainText: string;
  readonly mainLength: number;
  readonly textLength: number;
}

interface Rule {
  readonly code: WarningCode;
  readonly message: string;
  readonly holds: (look: Look) => boolean;
}

/** The first match wins. Phrases alone never suffice: an article may be about walls. */
const RULES: readonly Rule[] = [
  { code: 'waiting_room', message: 'the page is a queue of visitors before the page', holds: isWaitingRoom },
  { code: 'age_gate', message: 'the page asks for the age of the reader, and shows nothing else', holds: isAgeGate },
  {
    code: 'challenge_page',
    message: 'the page asks for proof that a human is reading',
    holds: (look) =>
      look.textLength < 1_500 &&
      (isHeaded(look, CHALLENGE) ||
        (CHALLENGE.test(look.text) && (look.textLength < 500 || (look.textLength < 1_000 && hasCaptcha(look.tree))))),
  },
  {
    code: 'challenge_page',
    message: 'the site refuses access',
    holds: (look) =>
      look.textLength < 1_500 &&
      (isHeaded(look, REFUSED_ACCESS) || (look.textLength < 300 && REFUSED_ACCESS.test(look.text))),
  },
  {
    code: 'soft_404',
    message: 'the page says that it does not exist',
    holds: (look) =>
      (look.mainLength < 1_200 && isHeaded(look, NOT_FOUND)) ||
      (look.textLength < 600 && NOT_FOUND.test(look.text.slice(0, 300))),
  },
  {
    code: 'soft_404',
    message: 'the page says that its site is out of order',
    holds: (look) =>
      look.textLength < 1_000 &&
      (isHeaded(look, OUT_OF_ORDER) || (look.textLength < 400 && OUT_OF_ORDER.test(look.text.slice(0, 300)))),
  },
  {
    code: 'consent_wall',
    message: 'the page asks for consent to cookies or tracking, and shows nothing else',
    holds: isConsentWall,
  },
  { code: 'login_wall', message: 'the page asks for a login', holds: isLoginWall },
  {
    code: 'unrendered_shell',
    message: 'the page is the shell of an application whose scripts have not run',
    holds: isShell,
  },
  { code: 'paywall', message: 'the page says that the rest is for subscribers', holds: isPaywallShown },
  {
    code: 'near_empty_page',
    message: `the main content has fewer than ${NEAR_EMPTY} characters`,
    holds: ({ mainLength }) => mainLength < NEAR_EMPTY,
  },
];

const PAYWALL_STATED = 'the publisher states that the page cannot be read for free; the text may be cut off';

export interface WarningSources {
  readonly signals: Signals;
  readonly mainText: string;
  /** The publisher's statement, or null. */
  readonly isAccessibleForFree: boolean | null;
}

/** Whether a warning is possible: the text is short, or ends with a subscription offer. */
export function mayBeWall(mainText: string): boolean {
  return mainText.length < LONGEST_WALL || FOR_SUBSCRIBERS.test(mainText.slice(-END_LENGTH));
}

/** Reasons why the text may not be the expected content; usually none. */
export function findWarnings(tree: Tree, { signals, mainText, isAccessibleForFree }: WarningSources): PageWarning[] {
  if (!mayBeWall(mainText)) return [];
  if (isAccessibleForFree === false && !isWhole(signals, mainText))
    return [{ code: 'paywall', message: PAYWALL_STATED }];
  const mainLength = measure(mainText);
  if (mainLength >= LONGEST_WALL) return [];
  const impression = readImpression(tree, signals);
  const look: Look = { ...impression, tree, mainText, mainLength, textLength: measure(impression.text) };
  const rule = RULES.find(({ holds }) => holds(look));
  return rule === undefined ? [] : [{ code: rule.code, message: rule.message }];
}

function isWhole({ linkedData }: Signals, mainText: string): boolean {
  for (const { properties } of linkedData.objects.slice(0, MAX_OBJECTS)) {
    const body = properties['articleBody'];
    if (typeof body === 'string' && body.length > 500 && mainText.length >= WHOLE * body.length) return true;
    const words = Number(properties['wordCount']);
    if (words > 100 && mainText.split(/\s+/).length >= WHOLE * words) return true;
  }
  return false;
}

function isHeaded({ titles, headings }: Look, phrase: RegExp): boolean {
  return [...titles, ...headings.slice(0, 3)].some((text) => text.length <= MAX_HEADING && phrase.test(text));
}

/** Names of queues alone are those of articles about them. */
function isWaitingRoom({ titles, headings, text, textLength }: Look): boolean {
  if (textLength > 1_200) return false;
  const found = [...titles, ...headings.slice(0, 3), text].flatMap((part) => part.match(QUEUE) ?? []);
  const kinds = new Set(found.map((phrase) => phrase.toLowerCase()));
  return kinds.size >= 3 || (kinds.size === 2 && textLength < 600);
}

function isAgeGate(look: Look): boolean {
  const { tree, text, textLength } = look;
  if (textLength > 1_200) return false;
  if (!isHeaded(look, ASKS_AGE) && !(textLength < 600 && ASKS_AGE.test(text))) return false;
  return listButtonLabels(tree).some((label) => AGE_ANSWER.test(label));
}

function isConsentWall({ tree, text, textLength }: Look): boolean {
  if (textLength > 2_500) return false;
  const words = text.match(CONSENT) ?? [];
  const kinds = new Set(words.map((word) => word.toLowerCase()));
  if (words.length < 3 || kinds.size < 2 || textLength / words.length > 200) return false;
  return listButtonLabels(tree).some((label) => ACCEPT.test(label));
}

function isLoginWall(look: Look): boolean {
  const { mainText, mainLength, text, textLength } = look;
  if (mainLength > 1_500) return false;
  // Many pages have such a form in a sidebar, with a heading.
  const headings = look.mainHeadings.length > 0 || mainLength > 600 ? look.mainHeadings : look.headings.slice(0, 1);
  const isSignIn = isHeaded({ ...look, headings }, SIGN_IN);
  if (look.hasPassword && (isSignIn || (textLength < 400 && SIGN_IN.test(text)))) return true;
  if (look.hasEmailField && textLength < 600 && isSignIn) return true;
  return (
    (isHeaded(look, MUST_SIGN_IN) && textLength < 1_500) ||
    (mainLength < 600 && asksToSignIn(mainText)) ||
    (textLength < 600 && asksToSignIn(text))
  );
}

function asksToSignIn(text: string): boolean {
  const start = text.slice(0, 500);
  const match = MUST_SIGN_IN.exec(start);
  return match !== null && !TO_REPLY.test(start.slice(match.index + match[0].length));
}

function isPaywallShown({ tree, mainLength, text, textLength }: Look): boolean {
  if (mainLength > 2_500 || textLength > 6_000) return false;
  return FOR_SUBSCRIBERS.test(text) && hasPaywallMark(tree);
}

function isShell({ tree, text, textLength, noscript, scripts }: Look): boolean {
  if (scripts === 0 || textLength > 300) return false;
  if (hasEmptyRoot(tree)) return textLength < 200;
  if (NEEDS_SCRIPTS.test(text)) return true;
  return textLength < 100 && (LOADING.test(cut(text, 100)) || NEEDS_SCRIPTS.test(noscript));
}

/** Quick filter: most texts have no such character. */
const MAYBE_WIDE = /[\u1100-\u1fff\u2e80-\uffff]/;
const WIDE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

function measure(text: string): number {
  if (text.length >= LONGEST_WALL || !MAYBE_WIDE.test(text)) return text.length;
  return text.length + (text.match(WIDE)?.length ?? 0);
}
