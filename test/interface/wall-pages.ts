/**
 * Pages shown instead of the requested page, in several languages and modelled on several kinds of software. All
 * are served with status 200.
 */

export interface WallPage {
  readonly name: string;
  /** Code of the warning, or `fetch_blocked` if the capture itself is refused. */
  readonly code: string;
  readonly html: string;
}

interface Parts {
  readonly lang?: string;
  readonly title: string;
  readonly head?: string;
  readonly body: string;
}

const page = ({ lang = 'en', title, head = '', body }: Parts): string =>
  `<!doctype html><html lang="${lang}"><head><meta charset="utf-8"><title>${title}</title>${head}</head><body>${body}</body></html>`;

const NAV =
  '<header><a class="logo" href="/">Harbour Gazette</a><nav><ul><li><a href="/town">Town</a></li><li><a href="/sea">Sea</a></li><li><a href="/trade">Trade</a></li></ul></nav></header>';
const FOOTER =
  '<footer><a href="/imprint">Imprint</a> <a href="/terms">Terms of use</a> © 2026 Harbour Gazette</footer>';
const TEASER =
  'The council has decided to deepen the northern basin of the harbour, and the work is to begin in spring. Ships of the largest class could then call at the town for the first time since the war.';
const BOATS = Array.from(
  { length: 12 },
  (_, at) =>
    `<div class="card"><h3><a href="/boats/${at}">Boat ${at}</a></h3><span>${at + 5} metres. ${TEASER}</span></div>`,
).join('');
const jsonLd = (value: unknown): string => `<script type="application/ld+json">${JSON.stringify(value)}</script>`;
const passwordForm = (user: string, password: string, button: string): string =>
  `<form method="post" action="/session"><label>${user} <input name="user"></label><label>${password} <input type="password" name="password"></label><button>${button}</button></form>`;

export const WALL_PAGES: readonly WallPage[] = [
  // Login walls.
  {
    name: 'a forum for members only',
    code: 'login_wall',
    html: page({
      title: 'Harbour Talk - Information',
      body: `${NAV}<div class="panel"><h2>Information</h2><p>You must be registered and logged in to view this board.</p><p><a href="/login">Log in</a> or <a href="/join">register</a></p></div>${FOOTER}`,
    }),
  },
  {
    name: 'a sign-in page with a password',
    code: 'login_wall',
    html: page({
      title: 'Sign in · Quayhub',
      body: `<main><h1>Sign in to Quayhub</h1>${passwordForm('Username or email address', 'Password', 'Sign in')}<p>New to Quayhub? <a href="/join">Create an account</a></p></main>${FOOTER}`,
    }),
  },
  {
    name: 'a German customer area',
    code: 'login_wall',
    html: page({
      lang: 'de',
      title: 'Anmeldung | Hafenwerke',
      body: `${NAV}<main><h1>Anmelden</h1><p>Bitte melden Sie sich mit Ihren Zugangsdaten an, um den Kundenbereich zu sehen.</p>${passwordForm('E-Mail-Adresse', 'Passwort', 'Anmelden')}<a href="/reset">Passwort vergessen?</a></main>${FOOTER}`,
    }),
  },
  {
    name: 'a French social network',
    code: 'login_wall',
    html: page({
      lang: 'fr',
      title: 'Portique',
      body: '<div role="dialog"><h2>Connectez-vous pour continuer</h2><p>Vous devez vous connecter pour voir cette publication.</p><a role="button" href="/login">Se connecter</a> <a role="button" href="/join">Créer un compte</a></div>',
    }),
  },
  {
    name: 'a Japanese member site',
    code: 'login_wall',
    html: page({
      lang: 'ja',
      title: 'ログイン - 港ネット',
      body: `<div id="wrap"><h1>ログイン</h1><p>このページを表示するにはログインが必要です。</p>${passwordForm('メールアドレス', 'パスワード', 'ログインする')}</div>`,
    }),
  },
  {
    name: 'a Spanish single sign-on',
    code: 'login_wall',
    html: page({
      lang: 'es',
      title: 'Iniciar sesión',
      body: '<main><h1>Iniciar sesión</h1><p>Usa tu cuenta del puerto</p><form><input type="email" placeholder="Correo electrónico"><button>Siguiente</button></form><a href="/new">Crear cuenta</a></main>',
    }),
  },
  // Paywalls.
  {
    name: 'a paywall in JSON-LD with an offer box',
    code: 'paywall',
    html: page({
      title: 'Deeper basin for the harbour',
      head: jsonLd({
        '@type': 'NewsArticle',
        headline: 'Deeper basin for the harbour',
        isAccessibleForFree: false,
        hasPart: { '@type': 'WebPageElement', isAccessibleForFree: false, cssSelector: '.locked' },
      }),
      body: `${NAV}<article><h1>Deeper basin for the harbour</h1><p>${TEASER}</p><div class="offer"><h2>Keep reading for 1 € a month</h2><p>Already a subscriber? <a href="/login">Log in</a></p></div></article>${FOOTER}`,
    }),
  },
  {
    name: 'a German Plus article',
    code: 'paywall',
    html: page({
      lang: 'de',
      title: 'Neues Becken im Hafen',
      head: jsonLd({ '@type': 'Article', headline: 'Neues Becken im Hafen', isAccessibleForFree: 'False' }),
      body: `${NAV}<article><h1>Neues Becken im Hafen</h1><p>Der Rat hat beschlossen, das nördliche Becken des Hafens zu vertiefen; die Arbeiten sollen im Frühjahr beginnen.</p><section class="aboshop"><h3>Weiterlesen mit Hafen+</h3><p>Jetzt 4 Wochen testen</p></section></article>${FOOTER}`,
    }),
  },
  {
    name: 'a French paywall by microdata',
    code: 'paywall',
    html: page({
      lang: 'fr',
      title: 'Un bassin plus profond',
      body: `${NAV}<article itemscope itemtype="https://schema.org/NewsArticle"><meta itemprop="isAccessibleForFree" content="false"><h1 itemprop="headline">Un bassin plus profond</h1><p>Le conseil a décidé de creuser le bassin nord du port, et les travaux commenceront au printemps prochain.</p><p class="verrou">Cet article est réservé aux abonnés.</p></article>${FOOTER}`,
    }),
  },
  {
    name: 'a locked tier in the metadata',
    code: 'paywall',
    html: page({
      title: 'Deeper basin for the harbour',
      head: '<meta property="article:content_tier" content="locked">',
      body: `${NAV}<article><h1>Deeper basin for the harbour</h1><p>${TEASER}</p></article>${FOOTER}`,
    }),
  },
  {
    name: 'a Portuguese paywall in words',
    code: 'paywall',
    html: page({
      lang: 'pt',
      title: 'Bacia mais profunda no porto',
      body: `${NAV}<article><h1>Bacia mais profunda no porto</h1><p>O conselho decidiu aprofundar a bacia norte do porto, e as obras devem começar na primavera.</p></article><div class="paywall-box"><p>Conteúdo exclusivo para assinantes</p><p>Assine para continuar lendo</p></div>${FOOTER}`,
    }),
  },
  // Consent walls.
  {
    name: 'a consent page before a search engine',
    code: 'consent_wall',
    html: page({
      title: 'Before you continue',
      body: '<div><h1>Before you continue to Quaysearch</h1><p>We use cookies and data to deliver and maintain our services and to protect against spam, fraud and abuse.</p><p>If you choose to accept all, we will also use cookies and data to develop new services and to show personalised ads, depending on your settings.</p><form action="/save"><button>Reject all</button><button>Accept all</button></form><a href="/options">More options</a></div>',
    }),
  },
  {
    name: 'a German pay-or-consent page',
    code: 'consent_wall',
    html: page({
      lang: 'de',
      title: 'hafenblatt.example',
      body: '<main><h1>Hafenblatt mit Werbung lesen</h1><p>Besuchen Sie hafenblatt.example wie gewohnt mit Werbung und Tracking. Ihre Zustimmung können Sie jederzeit in der Datenschutzerklärung widerrufen. Wir und unsere 178 Partner verwenden Cookies und verarbeiten personenbezogene Daten.</p><button>Akzeptieren und weiter</button><h2>… oder mit dem Pur-Abo</h2><p>Für 4,99 € im Monat ohne Werbetracking.</p><a href="/pur">Jetzt abonnieren</a></main>',
    }),
  },
  {
    name: 'a French consent page',
    code: 'consent_wall',
    html: page({
      lang: 'fr',
      title: 'Votre vie privée',
      body: '<section><h2>Le respect de votre vie privée est notre priorité</h2><p>Avec votre consentement, nos partenaires et nous utilisons des cookies ou des technologies similaires pour stocker et accéder à des données personnelles comme votre visite sur ce site.</p><button>En savoir plus</button><button>Tout accepter</button></section>',
    }),
  },
  {
    name: 'an Italian consent page',
    code: 'consent_wall',
    html: page({
      lang: 'it',
      title: 'Informativa',
      body: '<div><p>Informativa</p><p>Noi e terze parti selezionate utilizziamo cookie o tecnologie simili per finalità tecniche e, con il tuo consenso, anche per le finalità specificate nella cookie policy. Puoi acconsentire all’utilizzo di tali tecnologie e al trattamento dei dati personali.</p><a class="btn" href="#">Rifiuta</a><a class="btn" href="#">Accetta e continua</a></div>',
    }),
  },
  {
    name: 'a Dutch cookie wall',
    code: 'consent_wall',
    html: page({
      lang: 'nl',
      title: 'Cookies op havennieuws.example',
      body: '<main><h1>Havennieuws gebruikt cookies</h1><p>Om je een goede ervaring te geven en advertenties te tonen die bij je passen, plaatsen wij en onze partners cookies. Daarvoor vragen we je toestemming.</p><form><input type="submit" value="Akkoord"></form><a href="/instellingen">Instellingen aanpassen</a></main>',
    }),
  },
  // Soft 404.
  {
    name: 'an English 404',
    code: 'soft_404',
    html: page({
      title: 'Page not found - Harbour Gazette',
      body: `${NAV}<main><h1>Oops! That page can’t be found.</h1><p>It looks like nothing was found at this location. Maybe try a search?</p><form role="search"><input type="search"></form></main>${FOOTER}`,
    }),
  },
  {
    name: 'a German 404',
    code: 'soft_404',
    html: page({
      lang: 'de',
      title: 'Hafenshop',
      body: `${NAV}<main><h1>Seite nicht gefunden</h1><p>Die von Ihnen aufgerufene Seite existiert leider nicht mehr. Vielleicht hilft Ihnen die Startseite weiter.</p></main>${FOOTER}`,
    }),
  },
  {
    name: 'a Spanish 404',
    code: 'soft_404',
    html: page({
      lang: 'es',
      title: 'Error 404',
      body: `${NAV}<main><h1>404</h1><h2>Página no encontrada</h2><p>Lo sentimos, la página que buscas no existe o ha cambiado de dirección.</p></main>${FOOTER}`,
    }),
  },
  {
    name: 'a Russian 404',
    code: 'soft_404',
    html: page({
      lang: 'ru',
      title: 'Страница не найдена',
      body: '<div class="error"><h1>Страница не найдена</h1><p>Возможно, она была удалена или вы ошиблись в адресе. Перейдите на главную страницу.</p></div>',
    }),
  },
  {
    name: 'a Japanese 404',
    code: 'soft_404',
    html: page({
      lang: 'ja',
      title: '港ネット',
      body: '<div id="main"><h1>お探しのページが見つかりません</h1><p>ページが移動または削除された可能性があります。トップページからお探しください。</p></div>',
    }),
  },
  {
    name: 'a Polish 404',
    code: 'soft_404',
    html: page({
      lang: 'pl',
      title: 'Nie znaleziono strony',
      body: `${NAV}<main><h1>Nie znaleziono strony</h1><p>Strona, której szukasz, nie istnieje albo została przeniesiona.</p></main>${FOOTER}`,
    }),
  },
  // Challenges and blocks.
  {
    name: 'a Cloudflare block page',
    code: 'fetch_blocked',
    html: page({
      title: 'Attention Required! | Cloudflare',
      body: '<div id="cf-wrapper"><div id="cf-error-details" class="cf-error-details-wrapper"><h1 data-translate="block_headline">Sorry, you have been blocked</h1><h2>You are unable to access harbour.example</h2><div><h2>Why have I been blocked?</h2><p>This website is using a security service to protect itself from online attacks. The action you just performed triggered the security solution. There are several actions that could trigger this block including submitting a certain word or phrase, a SQL command or malformed data.</p><h2>What can I do to resolve this?</h2><p>You can email the site owner to let them know you were blocked. Please include what you were doing when this page came up and the Cloudflare Ray ID found at the bottom of this page.</p></div><div class="cf-error-footer"><span>Cloudflare Ray ID: <strong>88a1b2c3d4e5f607</strong></span> <span>Performance &amp; security by Cloudflare</span></div></div></div>',
    }),
  },
  {
    name: 'an Akamai refusal',
    code: 'fetch_blocked',
    html: '<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don\'t have permission to access "http&#58;&#47;&#47;harbour&#46;example&#47;" on this server.<P>Reference&#32;&#35;18&#46;2d3e1a02&#46;1764000000&#46;1a2b3c4d<P>https&#58;&#47;&#47;errors&#46;edgesuite&#46;net&#47;18&#46;2d3e1a02</BODY></HTML>',
  },
  {
    name: 'a firewall refusal with a support id',
    code: 'fetch_blocked',
    html: '<html><head><title>Request Rejected</title></head><body>The requested URL was rejected. Please consult with your administrator.<br><br>Your support ID is: 1234567890123456789<br><br><a href="javascript:history.back();">[Go Back]</a></body></html>',
  },
  {
    name: 'a refusal of a blog security plugin',
    code: 'fetch_blocked',
    html: page({
      title: '403 Forbidden',
      body: '<h1>A potentially unsafe operation has been detected in your request to this site</h1><p>Your access to this service has been limited. (HTTP response code 403)</p><p>Generated by Wordfence at Tue, 24 Nov 2026 10:00:00 GMT.</p>',
    }),
  },
  {
    name: 'an English captcha',
    code: 'fetch_blocked',
    html: page({
      title: 'Security check',
      body: '<div class="box"><h1>One more step</h1><p>Please complete the security check to access harbour.example</p><div class="h-captcha" data-sitekey="x"></div></div>',
    }),
  },
  {
    name: 'a Chinese slider',
    code: 'challenge_page',
    html: page({
      lang: 'zh-CN',
      title: '安全验证',
      body: '<div class="verify"><h2>请完成安全验证</h2><p>检测到您的网络环境存在异常，请拖动下方滑块完成验证后继续访问。</p><div id="slider"></div></div>',
    }),
  },
  {
    name: 'a Russian captcha',
    code: 'challenge_page',
    html: page({
      lang: 'ru',
      title: 'Вы не робот?',
      body: '<form><h1>Подтвердите, что запросы отправляли вы, а не робот</h1><p>Нам очень жаль, но запросы с вашего устройства похожи на автоматические.</p><input type="checkbox"> Я не робот</form>',
    }),
  },
  {
    name: 'a German captcha',
    code: 'challenge_page',
    html: page({
      lang: 'de',
      title: 'Sicherheitsüberprüfung',
      body: '<main><h1>Sicherheitsüberprüfung</h1><p>Wir haben ungewöhnlichen Datenverkehr aus Ihrem Netzwerk festgestellt. Bitte bestätigen Sie, dass Sie kein Roboter sind.</p><div class="g-recaptcha" data-sitekey="x"></div></main>',
    }),
  },
  {
    name: 'a French puzzle',
    code: 'challenge_page',
    html: page({
      lang: 'fr',
      title: 'Vérification',
      body: '<div><h1>Vérifiez que vous êtes humain</h1><p>Faites glisser la pièce pour compléter le puzzle. Une activité inhabituelle a été détectée depuis votre adresse.</p></div>',
    }),
  },
  // Shells.
  {
    name: 'a shell that asks for scripts',
    code: 'unrendered_shell',
    html: page({
      title: 'Quayhub',
      body: '<noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/static/js/main.js"></script>',
    }),
  },
  {
    name: 'a shell with a loading message',
    code: 'unrendered_shell',
    html: page({
      title: 'Harbour board',
      body: '<app-root><p>Loading the harbour board…</p></app-root><script src="runtime.js" type="module"></script><script src="main.js" type="module"></script>',
    }),
  },
  {
    name: 'a shell that apologises for missing scripts',
    code: 'unrendered_shell',
    html: page({
      title: 'hafen-app',
      body: '<noscript><strong>We’re sorry but hafen-app doesn’t work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id="app"></div><script src="/js/chunk-vendors.js"></script><script src="/js/app.js"></script>',
    }),
  },
  {
    name: 'a German shell',
    code: 'unrendered_shell',
    html: page({
      lang: 'de',
      title: 'Fahrplan',
      body: '<div id="fahrplan"><p>Bitte aktivieren Sie JavaScript in Ihrem Browser, um den Fahrplan zu sehen.</p></div><script src="/bundle.js" defer></script>',
    }),
  },
  // Queues and questions for the age.
  {
    name: 'a queue before a ticket shop',
    code: 'waiting_room',
    html: page({
      title: 'Quay Tickets',
      body: '<main><h1>You are now in line</h1><p>Your number in line: 8,231. Number of users in line ahead of you: 8,112.</p><p>When it is your turn, you will have ten minutes to enter the site.</p><progress value="12" max="100"></progress></main>',
    }),
  },
  {
    name: 'a German queue',
    code: 'waiting_room',
    html: page({
      lang: 'de',
      title: 'Warteraum',
      body: '<div><h2>Willkommen im Warteraum</h2><p>Zurzeit ist der Andrang groß. Ihre voraussichtliche Wartezeit beträgt 12 Minuten. Bitte schließen Sie dieses Fenster nicht.</p></div>',
    }),
  },
  {
    name: 'a Spanish queue',
    code: 'waiting_room',
    html: page({
      lang: 'es',
      title: 'Fila virtual',
      body: '<section><h1>Estás en la fila virtual</h1><p>Hay 320 personas delante de ti. No cierres esta ventana.</p></section>',
    }),
  },
  {
    name: 'a Japanese queue',
    code: 'waiting_room',
    html: page({
      lang: 'ja',
      title: '順番待ち',
      body: '<div><h1>ただいまアクセスが集中しております</h1><p>順番が来るまでお待ちいただきますようお願いいたします。現在の待ち人数は1,204人です。</p></div>',
    }),
  },
  {
    name: 'a question for the age before a brewery',
    code: 'age_gate',
    html: page({
      title: 'Lighthouse Brewery',
      body: '<div class="q"><h1>Are you of legal drinking age?</h1><p>You must be 21 or older to see the beers of the Lighthouse Brewery. Please drink with care, and never before you go out in a boat.</p><button>Yes</button> <button>No</button></div>',
    }),
  },
  {
    name: 'a French date of birth',
    code: 'age_gate',
    html: page({
      lang: 'fr',
      title: 'Cave du port',
      body: '<form><h2>Vérification de l’âge</h2><p>Pour entrer, indiquez votre date de naissance. La cave du port vend des vins des coteaux voisins depuis 1921, et livre aussi en ville.</p><input name="d"><input name="m"><input name="y"><button>Valider</button></form>',
    }),
  },
  {
    name: 'a Korean question for the age',
    code: 'age_gate',
    html: page({
      lang: 'ko',
      title: '성인 인증',
      body: '<main><h1>만 19세 이상입니까?</h1><p>이 사이트는 주류 정보를 포함하고 있어 미성년자는 이용할 수 없습니다. 항구 양조장은 1980년부터 맥주를 만들어 왔으며 전국에 배송합니다. 계속하려면 선택해 주세요.</p><button>예</button><button>아니오</button></main>',
    }),
  },
  // Lists that go on.
  {
    name: 'a list that loads more as it is scrolled',
    code: 'continues_on_scroll',
    html: page({
      title: 'Boats',
      body: `${NAV}<main><h1>Boats</h1><div id="boats">${BOATS}</div><div hx-get="/boats?page=2" hx-trigger="revealed"></div></main>${FOOTER}`,
    }),
  },
  {
    name: 'a list with a button for more',
    code: 'continues_on_click',
    html: page({
      title: 'Boats',
      body: `${NAV}<main><h1>Boats</h1><div id="boats">${BOATS}</div><button type="button">Load more</button></main>${FOOTER}`,
    }),
  },
  // Nearly empty pages.
  {
    name: 'the default page of a web server',
    code: 'near_empty_page',
    html: '<html><body><h1>It works!</h1></body></html>',
  },
  {
    name: 'a coming-soon page',
    code: 'near_empty_page',
    html: page({ title: 'Harbour Museum', body: '<h1>Harbour Museum</h1><p>Coming soon.</p>' }),
  },
];
