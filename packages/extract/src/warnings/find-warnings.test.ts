import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extract } from '../pipeline/extract.ts';

const SENTENCE = 'The harbour town keeps its old market, and the fishermen sell there every morning until noon. ';
const ARTICLE = `<p>${SENTENCE.repeat(8)}</p><p>${SENTENCE.repeat(8)}</p>`;

function listCodes(title: string, body: string, head = ''): string[] {
  const html = `<!doctype html><html><head><title>${title}</title>${head}</head><body>${body}</body></html>`;
  return extract(html, { url: 'https://example.com/page' }).warnings.map(({ code }) => code);
}

const LOGIN_FORM = '<form><input name="user"><input type="password"><button>Log in</button></form>';
const BANNER =
  '<div class="cookie-banner"><p>We use cookies to personalise ads. Our partners process personal data. See our privacy policy.</p><button>Accept all</button></div>';
const linked = (value: object): string =>
  `<script type="application/ld+json">${JSON.stringify({ '@type': 'NewsArticle', headline: 'x', ...value })}</script>`;

/** Ordinary pages with features of walls. */
const ORDINARY: readonly (readonly [what: string, title: string, body: string, head?: string])[] = [
  ['an article', 'The market', `<h1>The market</h1>${ARTICLE}`],
  ['an article about 404', 'How to design a 404 page', `<h1>Error 404: page not found, explained</h1>${ARTICLE}`],
  ['an article about captchas', 'Are you a robot?', `<h1>Are you a robot?</h1>${ARTICLE}`],
  [
    'an article with a login form beside it',
    'The market',
    `<h3>Sign in</h3>${LOGIN_FORM}<h1>The market</h1>${ARTICLE}`,
  ],
  [
    'a short post that needs a login for replies',
    'Nets',
    `<h1>Nets</h1><p>${SENTENCE.repeat(2)}</p><p>You must be logged in to reply.</p>`,
  ],
  ['an article with a cookie banner', 'The market', `<h1>The market</h1>${ARTICLE}${BANNER}`],
  [
    'a contact form with a captcha',
    'Contact us',
    `<h1>Contact us</h1><p>${SENTENCE.repeat(3)}</p><form><div class="g-recaptcha"></div></form>`,
  ],
  ['a free article', 'The market', `<h1>The market</h1>${ARTICLE}`, linked({ isAccessibleForFree: true })],
  [
    'a paid article shown in full',
    'The market',
    `<h1>The market</h1>${ARTICLE}`,
    linked({ isAccessibleForFree: false, wordCount: 250 }),
  ],
  [
    'an article with comments that need scripts',
    'The market',
    `<h1>The market</h1>${ARTICLE}<noscript>Please enable JavaScript for comments.</noscript><script src="/c.js"></script>`,
  ],
  [
    'a short post about a film that is gone',
    'Nets',
    `<h1>Nets</h1><p>${SENTENCE} The video has been removed, and something went wrong with the sound.</p><p>${SENTENCE}</p>`,
  ],
  ['an article that starts with a fault', 'The market', `<h1>Something went wrong at the market</h1>${ARTICLE}`],
  [
    'a hidden login dialog',
    'Nets',
    `<h1>Nets</h1><p>${SENTENCE.repeat(2)}</p><div style="display:none"><h1>Sign in</h1>${LOGIN_FORM}</div>`,
  ],
];
for (const [what, title, body, head] of ORDINARY) {
  test(`${what} has no warning`, () => {
    assert.deepEqual(listCodes(title, body, head), []);
  });
}

test('a paid article of any length that ends with a subscription offer has a paywall warning', () => {
  const body = `<article><h1>The market</h1>${ARTICLE.repeat(3)}<p>To continue reading, subscribe now.</p></article>`;
  assert.deepEqual(listCodes('The market', body, linked({ isAccessibleForFree: false })), ['paywall']);
  assert.deepEqual(listCodes('The market', body), []);
});

test('a paid article shorter than its stated word count has a paywall warning', () => {
  const head = linked({ isAccessibleForFree: false, wordCount: 2000 });
  assert.deepEqual(listCodes('The market', `<h1>The market</h1>${ARTICLE}`, head), ['paywall']);
});

test('a page has one warning, the most specific one', () => {
  assert.deepEqual(listCodes('Page not found', '<h1>Page not found</h1>'), ['soft_404']);
  assert.deepEqual(listCodes('Sign in', `<h1>Sign in</h1>${LOGIN_FORM}`), ['login_wall']);
});

test('a page that refuses a browser or an account says so', () => {
  for (const [code, text] of [
    ['challenge_page', '<h1>Your browser is not supported</h1><p>Choose a newer one to go on.</p>'],
    ['challenge_page', '<p>Ihr Browser wird leider nicht mehr unterstützt.</p>'],
    ['login_wall', '<h1>You need access</h1><p>Ask the owner of the document for it.</p>'],
  ])
    assert.deepEqual(listCodes('Documents', `<main>${text}</main>`), [code], text);
});

test('characters of Chinese, Japanese and Korean count twice', () => {
  const body =
    '<h1>市場</h1><p>港町には古い市場があり、漁師たちは毎朝そこで魚を売っている。市場は正午まで開いている。旅の人も多く訪れる。</p>';
  assert.deepEqual(listCodes('市場', body), []);
});

test('an error page has no content, whatever it says', () => {
  const pages = [
    ['Page not found', '<h1>Oh no</h1><p>The page you were looking for could not be found. It may have moved.</p>'],
    ['Seite nicht gefunden', '<h1>Hoppla</h1><p>Die Seite wurde leider nicht gefunden.</p>'],
    ['Stránka nenalezena', '<h2>Stránka nenalezena</h2><p>Zkuste se vrátit na úvod.</p>'],
    ['Pagina niet gevonden', '<p>De pagina die u zoekt bestaat niet.</p>'],
    ['The market', '<h1>Down for maintenance</h1><p>We will be back soon. Thank you for your patience.</p>'],
    ['Wartung', '<p>Wegen Wartungsarbeiten ist die Seite derzeit nicht erreichbar.</p>'],
    ['Service unavailable', '<h1>Service Temporarily Unavailable</h1><p>Please try again in a few minutes.</p>'],
    ['Account suspended', '<h1>Account suspended</h1><p>Please contact your hosting provider.</p>'],
    ['The market', '<h1>Error establishing a database connection</h1>'],
    ['', '<b>Fatal error</b>: Uncaught PDOException: SQLSTATE[HY000] in /srv/www/index.php:12'],
    [
      'Welcome to nginx!',
      '<h1>Welcome to nginx!</h1><p>The web server is installed. Further configuration is needed.</p>',
    ],
    ['Apache2 Debian Default Page', '<p>It works! This is the default page after the installation of the server.</p>'],
    ['market.example', '<h1>market.example</h1><p>This domain is for sale. Make an offer.</p>'],
    ['Films', '<h1>Video unavailable</h1><p>This video was withdrawn by whoever sent it in.</p>'],
    ['Pictures', '<h2>Sorry, this page isn’t available.</h2><p>The address may be wrong.</p>'],
    ['Share', '<p>This link has expired. Ask the sender for a new one.</p>'],
    ['Market', '<h1>Oops! Something went wrong</h1><p>Try again in a few minutes.</p>'],
    ['Markt', '<h1>Es ist ein Fehler aufgetreten</h1>'],
    ['Runtime Error', "<h1>Server Error in '/' Application.</h1><p>Details are kept from other machines.</p>"],
    ['お知らせ', '<h1>メンテナンス中</h1><p>しばらくお待ちください。</p>'],
  ];
  for (const [title, body] of pages) {
    const page = extract(`<title>${title}</title><main>${body}<a href="/">Home</a></main>`, { formats: ['markdown'] });
    assert.deepEqual(
      [page.warnings[0]?.code, page.mainText, page.markdown, page.tokenEstimate],
      ['soft_404', '', '', 0],
    );
    assert.ok(page.links.every((link) => !link.in_main));
  }
  const filled =
    '<h1>This job is no longer available</h1>' +
    '<p>You will lead the work on the pumps of the old harbour.</p>'.repeat(14);
  const job = extract(`<title>Engineer</title><main>${filled}</main>`);
  assert.equal(job.warnings[0]?.code, 'soft_404');
  assert.match(job.mainText, /pumps of the old harbour/, 'what it describes is kept');
  const written = extract(`<title>The market</title><h1>The market under maintenance</h1>${ARTICLE}`);
  assert.match(written.mainText, /old market/);
});
