/** Options of the capture and of the page, the same for an extract, a dump and a batch. */
import { z } from 'zod';
import { boolean, defaulted, described, toggle } from './described.ts';
import { enginePreferenceNames, publicEngineName, toEnginePreference } from '../shared/engines.ts';
import { DEFAULT_LIMITS, type Limits } from '../shared/limits.ts';
import type { RequestSchemaOptions } from '../shared/operation.ts';

/** The screen that a page is captured for: its size, touch, and the User-Agent header. */
export const DEVICES = ['desktop', 'mobile'] as const;
export type Device = (typeof DEVICES)[number];

export const BLOCKABLE_RESOURCES = ['images', 'fonts', 'media', 'styles'] as const;
export type BlockableResource = (typeof BLOCKABLE_RESOURCES)[number];

/** What a browser does with a dialog that asks for consent to cookies; the first is the default. */
export const CONSENT_ACTIONS = ['hide', 'ignore', 'reject', 'accept'] as const;
export type ConsentAction = (typeof CONSENT_ACTIONS)[number];

/** What a screenshot shows: the first screen of the page, or all of it. */
export const SCREENSHOTS = ['viewport', 'full_page'] as const;
export type ScreenshotKind = (typeof SCREENSHOTS)[number];

export const SCREENSHOT_FORMATS = ['webp', 'png'] as const;
export type ScreenshotFormat = (typeof SCREENSHOT_FORMATS)[number];

/** Names of request headers that `headers` may set, besides the ones that begin with `x-`. */
const SETTABLE_HEADERS: ReadonlySet<string> = new Set([
  'accept',
  'authorization',
  'cache-control',
  'cf-access-client-id',
  'cf-access-client-secret',
  'dnt',
  'pragma',
  'referer',
  'save-data',
  'sec-gpc',
]);

/** `x-` headers that misstate the client, address or method of a request. */
const REFUSED_X_HEADER =
  /^x-(?:forwarded(?:-.*)?|real-ip|client-ip|cluster-client-ip|original-.*|rewrite-.*|http-method.*|method-override|winnow-.*)$/;

/** A time limit of a request; a longer one than the deployment allows counts as the longest. */
export function timeLimit({ maxTimeoutMs }: Limits, meaning: string) {
  return described(
    z
      .int()
      .min(1)
      .overwrite((ms) => Math.min(ms, maxTimeoutMs)),
    `${meaning} Milliseconds; more than ${maxTimeoutMs} counts as ${maxTimeoutMs}.`,
    Math.min(30_000, maxTimeoutMs),
  ).optional();
}

/** Options that replace a header. */
const OWN_OPTION: Readonly<Record<string, string>> = {
  cookie: 'options.cookies',
  'accept-language': 'options.accept_language',
  'user-agent': 'options.user_agent',
};

/** RFC 9110, 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** Printable ASCII without white space at either end. */
const HEADER_VALUE = /^[!-~](?:[\t -~]*[!-~])?$/;
/** Printable ASCII without a semicolon. */
const COOKIE_VALUE = /^[ -:<-~]*$/;
/** These schemes authenticate a connection, which other requests may share. */
const CONNECTION_SCHEME = /^(?:ntlm|negotiate|kerberos)\b/i;

const MAX_HEADERS = 30;
const MAX_HEADER_LENGTH = 8192;
const MAX_COOKIES = 50;
const MAX_COOKIE_LENGTH = 4096;
const MAX_SELECTOR_LENGTH = 1000;
const MAX_SELECTORS = 20;
const MAX_LANGUAGES = 20;
const MAX_SCROLL_STEPS = 1000;
const MAX_SCROLL_ITEMS = 10_000;

const LANGUAGE_RANGE =
  /^(?:\*|[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8}){0,7})(?:[ \t]*;[ \t]*q=(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/;

/** Whether a text is the value of an Accept-Language header (RFC 9110, 12.5.4). */
export function isAcceptLanguage(text: string): boolean {
  const ranges = text.split(',').map((range) => range.trim());
  return ranges.length <= MAX_LANGUAGES && ranges.every((range) => LANGUAGE_RANGE.test(range));
}

/** True for one language tag of BCP 47. */
export function isLocale(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1;
  } catch {
    return false;
  }
}

/** True for the name of a time zone in the IANA database, not for an offset. */
function isTimeZone(text: string): boolean {
  try {
    return /^[A-Za-z]/.test(text) && Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions() !== undefined;
  } catch {
    return false;
  }
}

/** Returns why a request may not set a header; undefined when it may. */
function findHeaderFault(name: string, value: string): string | undefined {
  const lower = name.toLowerCase();
  if (!TOKEN.test(name)) return 'is not the name of a header';
  const own = OWN_OPTION[lower];
  if (own !== undefined) return `must not be set here; use ${own}`;
  if (!SETTABLE_HEADERS.has(lower) && (!lower.startsWith('x-') || REFUSED_X_HEADER.test(lower)))
    return `must not be set; allowed are ${[...SETTABLE_HEADERS].join(', ')}, and most names that begin with x-`;
  if (value.length > MAX_HEADER_LENGTH) return `must have at most ${MAX_HEADER_LENGTH} characters`;
  if (!HEADER_VALUE.test(value)) return 'must be printable ASCII characters on one line, no space at either end';
  if (lower === 'authorization' && CONNECTION_SCHEME.test(value))
    return 'must not be of the schemes NTLM, Negotiate and Kerberos, which authenticate a whole connection';
  return undefined;
}

const headersField = described(
  z.record(z.string(), z.string()).superRefine((headers, context) => {
    const names = Object.keys(headers);
    const refuse = (message: string, path: string[] = []): void => context.addIssue({ code: 'custom', message, path });
    if (names.length > MAX_HEADERS) return refuse(`must have at most ${MAX_HEADERS} headers`);
    const seen = new Set<string>();
    for (const name of names) {
      const isRepeated = seen.has(name.toLowerCase());
      seen.add(name.toLowerCase());
      const fault = isRepeated ? 'is there twice' : findHeaderFault(name, headers[name] ?? '');
      if (fault !== undefined) refuse(fault, [name]);
    }
  }),
  'Request headers, only sent to the site of the target: the same registrable domain, and never over plain HTTP when the target is https. Other sites get none of them, after redirects and for sub-resources too. Allowed: `accept`, `authorization`, `cache-control`, `cf-access-client-id`, `cf-access-client-secret`, `dnt`, `pragma`, `referer`, `save-data`, `sec-gpc`, and names that begin with `x-`, except those that misstate the client, address or method. Values are secret: never logged, traced or recorded.',
  { 'X-Preview': '1' },
).optional();

const cookieSchema = z.strictObject({
  name: described(z.string().regex(TOKEN, 'must be the name of a cookie'), 'Name.', 'session'),
  value: z
    .string()
    .max(MAX_COOKIE_LENGTH, `must have at most ${MAX_COOKIE_LENGTH} characters`)
    .regex(COOKIE_VALUE, 'must be printable ASCII characters without a semicolon')
    .meta({ description: 'Value.', examples: ['f00d'] }),
  domain: described(
    z.string().min(1).max(254),
    "Domain that gets the cookie, with all names below it; must be of the target's registrable domain. Default: only the host of the target.",
    'example.com',
  ).optional(),
  path: z
    .string()
    .max(1024)
    .regex(/^\/[!-:<-~]*$/, 'must begin with / and be printable ASCII characters without a semicolon')
    .optional()
    .meta({ description: 'Path below which the cookie is sent.', default: '/', examples: ['/'] }),
  secure: boolean(
    'Whether the cookie is only sent over https. Default: true when the target is https.',
    true,
  ).optional(),
});

const FILTER_DESCRIPTION = [
  'Remove scripts and styles before the snapshot is returned and stored: `script` and `style` elements (in SVG too), and',
  '`link` elements that only load one (`rel` of `stylesheet` or `modulepreload`; of `preload` or `prefetch` with `as` of',
  '`script` or `style`), also in `noscript` and in documents of `srcdoc`. Everything else stays byte for byte: comments,',
  '`style` attributes and `on…` handlers included. Cleaner for inspection, not equivalent to the original.',
].join(' ');

function describeAliases(family: string): string {
  const own = publicEngineName('vendor_dom', family);
  return `Responses name \`${own}\` also where \`${own}stable\`, its alias, was requested.`;
}

/** The meaning and optional default of `timeout_ms`. */
export interface TimeoutMeaning {
  readonly description: string;
  readonly defaultMs?: number;
}

function selectorsField(description: string, example: readonly string[]) {
  return defaulted(
    z.array(z.string().min(1, 'must not be empty').max(MAX_SELECTOR_LENGTH)).max(MAX_SELECTORS),
    `${description} An extract stores the whole page, a dump only the remaining elements.`,
    { default: [], example: [...example] },
  ).optional();
}

function captureFields({ limits = DEFAULT_LIMITS, engineFamily: family = 'vendor' }: RequestSchemaOptions) {
  return {
    accept_language: described(
      z
        .string()
        .max(256)
        .refine(isAcceptLanguage, 'must be the value of an Accept-Language header, such as de-CH,de;q=0.9'),
      'Accept-Language header. A browser sends the languages in the order of their weights, but with its own weights. Default: of `locale`; without it, of the deployment (`WINNOW_ACCEPT_LANGUAGE`).',
      'de-CH,de;q=0.9,en;q=0.5',
    ).optional(),
    locale: described(
      z.string().max(64).refine(isLocale, 'must be a language tag such as de-CH'),
      'Language tag for the dates and numbers of a browser. Also the language of the request when `accept_language` is left out; the engine http uses it only for that.',
      'de-CH',
    ).optional(),
    timezone: described(
      z.string().max(64).refine(isTimeZone, 'must be the name of a time zone such as Europe/Zurich'),
      'Time zone (IANA) in which scripts of the page write times. Default: of the machine. The engine http ignores the option.',
      'Europe/Zurich',
    ).optional(),
    headers: headersField,
    cookies: described(
      z.array(cookieSchema).max(MAX_COOKIES),
      "Cookies, of the target's registrable domain alone. Their values are secret: never logged, traced or recorded.",
      [{ name: 'session', value: 'f00d' }],
    ).optional(),
    user_agent: described(
      z
        .string()
        .max(1024)
        .regex(HEADER_VALUE, 'must be printable ASCII characters on one line, no space at either end'),
      'User-Agent header, also for the scripts of the page. Default: of the deployment and the device.',
      'Mozilla/5.0 (compatible; ExampleBot/1.0; +https://example.org/bot)',
    ).optional(),
    device: defaulted(
      z.enum(DEVICES),
      'Screen that the page is captured for: its size, touch, and the User-Agent header.',
      { default: 'desktop', example: 'mobile' },
    ).optional(),
    wait_for: z
      .union([z.string().min(1, 'must not be empty').max(MAX_SELECTOR_LENGTH), z.int().min(0).max(limits.maxTimeoutMs)])
      .optional()
      .meta({
        description:
          'What a browser waits for before it captures the page: an element that matches a CSS selector, or a number of milliseconds after the page is ready. Bounded by `timeout_ms`: a page that still lacks the element is captured then and is `partial`. Not with the engine http, which auto skips.',
        examples: ['#prices .row', 500],
      }),
    consent: defaulted(
      z.enum(CONSENT_ACTIONS),
      'What a browser does with dialogs that ask for consent to cookies. `hide`: a screenshot is taken without them. `reject` and `accept`: the dialog is answered before the page is captured, and what is left is hidden; `auto` then skips the engine http. `ignore`: nothing. The stage `fetch` of the trace says what was done. The main text leaves such dialogs out in any case. The engine http ignores the option.',
      { default: CONSENT_ACTIONS[0], example: 'reject' },
    ).optional(),
    scroll: described(
      z.strictObject({
        max_steps: described(
          z.int().min(1).max(MAX_SCROLL_STEPS),
          'Most steps down, each of nine tenths of the visible part.',
          200,
        ),
        max_items: described(
          z.int().min(1).max(MAX_SCROLL_ITEMS),
          'Scrolling ends when the longest list has this number of items: elements in a row, of one name and class.',
          100,
        ).optional(),
      }),
      'How far a browser scrolls through the page and its inner lists, which may load more as they are scrolled. Default: `stable` takes at most 60 steps in at most 8 seconds, other engines do not scroll. With the option every browser engine scrolls, as long as `timeout_ms` lasts. Not with the engine http; auto then takes the engine `stable`. The stage `fetch` of the trace says how far it came.',
      { max_steps: 200, max_items: 100 },
    ).optional(),
    proxy: described(
      z.string().regex(/^[\w.-]{1,64}$/, 'must be the name of a proxy: letters, digits, dots, underscores and hyphens'),
      'Upstream proxy for the page: a name that the operator offers (`WINNOW_REQUEST_PROXIES`). The egress policy still applies.',
      'eu',
    ).optional(),
    block: defaulted(
      z.array(z.enum(BLOCKABLE_RESOURCES)).max(BLOCKABLE_RESOURCES.length),
      'Sub-resources that a browser does not load. The engine http loads none in any case.',
      { default: [], example: ['images', 'fonts', 'media'] },
    ).optional(),
    screenshot: described(
      z.enum(SCREENSHOTS),
      'A picture of the page, stored with the snapshot: the visible part, or the whole page up to a height of 16,000 pixels. Not with the engine http; auto then takes the engine `stable`. The answer has its address.',
      'full_page',
    ).optional(),
    screenshot_format: defaulted(
      z.enum(SCREENSHOT_FORMATS),
      'File format of the picture. PNG is exact, larger, and has at most 12 million pixels.',
      { default: 'webp', example: 'png' },
    ).optional(),
    mhtml: toggle(
      'Store the page with its loaded pictures, styles and frames as one MHTML file with the snapshot. Not with the engine http; auto then takes the engine `stable`. The answer has its address.',
      false,
    ),
    include_tags: selectorsField(
      'CSS selectors of the elements to keep: their outermost ones, in the order of the page, are all of its main content. The head stays, with title and metadata.',
      ['article', '#comments'],
    ),
    exclude_tags: selectorsField('CSS selectors of elements that are removed, also within included ones.', [
      'nav',
      '.advert',
    ]),
    engine_preference: defaulted(z.enum(enginePreferenceNames(family)), `Fetch engine. ${describeAliases(family)}`, {
      default: 'auto',
      example: 'http',
    }).optional(),
    filter_scripts_styles: toggle(FILTER_DESCRIPTION, false),
  };
}

export function pageOptionsSchema(options: RequestSchemaOptions, timeout: TimeoutMeaning) {
  const { limits = DEFAULT_LIMITS, engineFamily: family = 'vendor' } = options;
  const defaultMs = timeout.defaultMs === undefined ? {} : { default: timeout.defaultMs };
  return z
    .strictObject({
      timeout_ms: timeLimit(limits, timeout.description).meta(defaultMs),
      ...captureFields(options),
    })
    .superRefine((fields, context) => {
      if (toEnginePreference(fields.engine_preference ?? 'auto', family) !== 'http') return;
      const message = 'needs a browser, and engine_preference is http; name another engine or auto';
      for (const [name, value] of Object.entries(fields)) {
        if (needOf(name) !== undefined && value !== undefined && value !== false)
          context.addIssue({ code: 'custom', message, path: [name] });
      }
    })
    .superRefine(({ screenshot, screenshot_format: format }, context) => {
      if (format === undefined || screenshot !== undefined) return;
      const message = 'needs screenshot: it is the file format of that picture';
      context.addIssue({ code: 'custom', message, path: ['screenshot_format'] });
    })
    .superRefine(({ wait_for: waitFor, timeout_ms: timeoutMs }, context) => {
      const refuse = (message: string): void => context.addIssue({ code: 'custom', message, path: ['wait_for'] });
      if (typeof waitFor === 'number' && timeoutMs !== undefined && waitFor >= timeoutMs)
        refuse(`must be less than timeout_ms, which is ${timeoutMs}`);
    });
}

export type PageOptionsBody = z.infer<ReturnType<typeof pageOptionsSchema>>;

/** A flag of the commands that capture pages. */
export interface OptionFlag {
  /** As in the help, for example `--device <name>`. */
  readonly syntax: string;
  readonly help: string;
  readonly choices?: readonly string[];
  /** What separates name and value of a flag that may be repeated. */
  readonly separator?: ':' | '=';
}

export interface OptionFacts {
  /** Engines use it: captures with it are not shared. */
  readonly isOfCapture: boolean;
  /** Its values are never stored in clear, logged, traced or recorded; only their names. */
  readonly isSecret: boolean;
  /** Selects parts of the page, also of one that is not fetched. */
  readonly selectsElements?: true;
  /** `browser`: plain HTTP cannot do it; `whole_page`: `vendor_lite` cannot either. */
  readonly needs?: 'browser' | 'whole_page';
  /** Absent: the commands have flags of their own, or none. */
  readonly flag?: OptionFlag;
}

function ofCapture(flag?: OptionFlag, needs?: OptionFacts['needs']) {
  return { isOfCapture: true, isSecret: false, ...(flag && { flag }), ...(needs && { needs }) } as const;
}

function secret(flag: OptionFlag) {
  return { isOfCapture: true, isSecret: true, flag } as const;
}

function ofPage(facts: Pick<OptionFacts, 'flag' | 'selectsElements'> = {}) {
  return { isOfCapture: false, isSecret: false, ...facts } as const;
}

/** What the parts that treat all options alike need to know of each; the order is that of the flags in the help. */
export const PAGE_OPTIONS = {
  accept_language: ofCapture({ syntax: '--accept-language <value>', help: 'Accept-Language header' }),
  locale: ofCapture({
    syntax: '--locale <tag>',
    help: 'language tag for dates, numbers and, without --accept-language, the header',
  }),
  timezone: ofCapture({ syntax: '--timezone <name>', help: 'time zone in which scripts of the page write times' }),
  headers: secret({
    syntax: '--header <name: value>',
    help: 'header for the site of the page; may be repeated',
    separator: ':',
  }),
  cookies: secret({
    syntax: '--cookie <name=value>',
    help: 'cookie for the host of the page; may be repeated',
    separator: '=',
  }),
  user_agent: ofCapture({ syntax: '--user-agent <value>', help: 'User-Agent header' }),
  device: ofCapture({ syntax: '--device <name>', help: 'screen to capture for', choices: DEVICES }),
  wait_for: ofCapture(
    {
      syntax: '--wait-for <what>',
      help: 'CSS selector of an element to wait for, or milliseconds after the page is ready',
    },
    'browser',
  ),
  scroll: ofCapture(
    {
      syntax: '--scroll <steps>',
      help: 'most steps of a browser down the page; with a comma, most items of its longest list: 200,100',
    },
    'whole_page',
  ),
  consent: ofCapture({
    syntax: '--consent <what>',
    help: 'what a browser does with dialogs that ask for consent to cookies',
    choices: CONSENT_ACTIONS,
  }),
  proxy: ofPage({ flag: { syntax: '--proxy <name>', help: 'upstream proxy, by its name in WINNOW_UPSTREAM_PROXIES' } }),
  block: ofCapture({
    syntax: '--block <what...>',
    help: 'resources that a browser does not load',
    choices: BLOCKABLE_RESOURCES,
  }),
  screenshot: ofCapture(undefined, 'whole_page'),
  screenshot_format: ofCapture(),
  mhtml: ofCapture(undefined, 'whole_page'),
  include_tags: ofPage({
    selectsElements: true,
    flag: { syntax: '--include-tags <selector...>', help: 'CSS selectors of the elements to keep' },
  }),
  exclude_tags: ofPage({
    selectsElements: true,
    flag: { syntax: '--exclude-tags <selector...>', help: 'CSS selectors of elements to remove' },
  }),
  engine_preference: ofPage(),
  timeout_ms: ofPage(),
  filter_scripts_styles: ofPage(),
} satisfies Readonly<Record<keyof PageOptionsBody, OptionFacts>>;

export type PageOptionName = keyof typeof PAGE_OPTIONS;

/** Returns what an option needs of the engine; undefined if all engines obey it. */
export function needOf(name: string): OptionFacts['needs'] {
  const facts: OptionFacts | undefined = PAGE_OPTIONS[name as PageOptionName];
  return facts?.needs;
}

export function tracedOptionsSchema() {
  const { headers: _headers, cookies: _cookies, ...fields } = captureFields({});
  const {
    engine_preference: _engine,
    filter_scripts_styles: _filter,
    include_tags: _in,
    exclude_tags: _out,
    ...shown
  } = fields;
  const names = (of: string, example: string) =>
    described(z.array(z.string()), `Names of ${of}.`, [example]).optional();
  return z.object({ ...shown, headers: names('headers', 'referer'), cookies: names('cookies', 'session') });
}
export type RequestCookie = z.infer<typeof cookieSchema>;
