/**
 * A rule matches when all its conditions hold. Rules on words also need a refusing status or little text: articles may
 * discuss captchas.
 *
 * Expressions must be linear on untrusted pages: an unbounded run never crosses the expression's first character.
 */
export interface BlockRule {
  readonly reason: string;
  readonly header?: readonly [name: string, value: RegExp];
  readonly html?: RegExp;
  readonly title?: RegExp;
  /** Of visible text. */
  readonly maxText?: number;
  readonly statuses?: readonly number[];
}

const REFUSALS = [401, 403, 405, 406, 429, 503] as const;
const CHALLENGE_TITLE =
  /^\W*(?:just a moment|attention required|access (?:to this page has been )?denied|access denied|robot check|captcha|(?:are you|you are) (?:a )?(?:human|robot)|human verification|verify(?:ing)? (?:that )?you are (?:a )?human|verification required|security (?:check|verification)|bot (?:check|verification|detection)|please (?:wait|verify)|checking your browser|one moment,? please|ddos[- ]guard|pardon our interruption|making sure you.{1,8}re not a bot|request (?:blocked|rejected|unsuccessful)|blocked)/i;

export const BLOCK_RULES: readonly BlockRule[] = [
  { reason: 'the header cf-mitigated announces a challenge', header: ['cf-mitigated', /challenge/i] },
  { reason: 'the header x-vercel-mitigated announces a challenge', header: ['x-vercel-mitigated', /challenge|deny/i] },
  { reason: 'the header x-amzn-waf-action announces a challenge', header: ['x-amzn-waf-action', /challenge|captcha/i] },
  // The vendor's beacon on ordinary pages lacks it.
  { reason: 'a script challenge (_cf_chl_opt)', html: /_cf_chl_opt\b/, maxText: 3000 },
  { reason: 'a script challenge (gokuProps)', html: /\bgokuProps\b/, maxText: 1500 },
  {
    reason: 'a captcha page (dd object)',
    html: /<script[^<>]*>\s*var dd\s*=\s*\{[^}<]{0,400}['"]cid['"]/,
    maxText: 1500,
  },
  { reason: 'a captcha page (px-captcha)', html: /id=["']px-captcha["']/, maxText: 2500 },
  { reason: 'a script challenge (_Incapsula_Resource)', html: /_Incapsula_Resource\b/, maxText: 600 },
  { reason: 'a script challenge (KPSDK)', html: /\bKPSDK\b/, maxText: 600 },
  { reason: 'a proof-of-work challenge', html: /id=["']anubis_challenge["']/, maxText: 3000 },
  { reason: 'a captcha page (distil)', html: /distil_r_(?:captcha|blocked)/i, maxText: 2500 },
  {
    reason: 'a web application firewall refused the request',
    html: /web ?site firewall|incident id:?|Reference(?:&#32;|\s)(?:&#35;|#)\d|support id(?: is)?:/i,
    statuses: REFUSALS,
    maxText: 2500,
  },
  { reason: 'the title is that of a challenge page', title: CHALLENGE_TITLE, statuses: REFUSALS, maxText: 4000 },
  {
    reason: 'a captcha and hardly anything else',
    title: CHALLENGE_TITLE,
    html: /class=["'][^"']*cf-turnstile|captcha/i,
    maxText: 500,
  },
  {
    reason: 'the page asks for proof that a human is reading',
    html: /unusual (?:traffic|activity)|(?:verify|confirm|prove)(?: that)? you(?:'|&#39;|’)?(?: a|')?re (?:a |not a )?(?:human|robot)|verify you are (?:a )?human|are you a (?:human|robot)|not a robot|automated (?:access|requests|queries)|checking your browser|bot (?:activity|traffic) detected/i,
    statuses: REFUSALS,
    maxText: 2500,
  },
  {
    reason: 'the page asks for scripts and cookies in order to check the browser',
    html: /enable (?:javascript|js) and cookies to continue|checking (?:if the site connection is secure|your browser before accessing)|ddos protection by/i,
    maxText: 1200,
  },
];
