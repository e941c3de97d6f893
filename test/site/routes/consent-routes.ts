import { ARTICLE, document, MARK, page, sleep } from '../route.ts';
import type { Routes } from '../route.ts';

/** Records an answer and removes the dialog, as consent managers do, some time after the click. */
const ANSWERS = `<p id="said">said nothing</p><script>
const answer = (what, node) => setTimeout(() => {
  document.getElementById('said').textContent = 'said ' + what;
  node.remove();
}, 150);
</script>`;

const TEXT = `<h2>We value your privacy</h2><p>We and our partners store cookies on your device and process personal data,
such as unique identifiers, for personalised ads. You can change your consent at any time.</p>`;

const COVER = 'position:fixed;inset:0;z-index:9;background:#ddd';

const buttons = (node: string, [yes, no]: readonly [string, string] = ['Accept all', 'Reject all']): string =>
  `<button onclick="answer('yes', ${node})">${yes}</button><button onclick="answer('no', ${node})">${no}</button>`;

/** Dialogs by their name, each as markup after the article. */
const DIALOGS: Readonly<Record<string, string>> = {
  none: '',
  onetrust: `<div id="onetrust-consent-sdk"><div class="onetrust-pc-dark-filter" style="${COVER}"></div>
<div id="onetrust-banner-sdk" style="${COVER};top:70%">${TEXT}
<button id="onetrust-accept-btn-handler" onclick="answer('yes', document.getElementById('onetrust-consent-sdk'))">Sure</button>
<button id="onetrust-reject-all-handler" onclick="answer('no', document.getElementById('onetrust-consent-sdk'))">Rather not</button></div></div>`,
  cookiebot: `<div id="CybotCookiebotDialogBodyUnderlay" style="${COVER};opacity:.5"></div>
<div id="CybotCookiebotDialog" style="${COVER};inset:20%">${TEXT}
<a href="#" id="CybotCookiebotDialogBodyButtonAccept" onclick="Cookiebot.submit('yes')">Fine</a>
<a href="#" id="CybotCookiebotDialogBodyLevelButtonLevelOptinDeclineAll" onclick="Cookiebot.submit('no')">Without</a></div><script>
window.Cookiebot = { hasResponse: false, dialog: { visible: true }, submit(what) {
  this.hasResponse = true;
  document.getElementById('CybotCookiebotDialogBodyUnderlay').remove();
  answer(what, document.getElementById('CybotCookiebotDialog'));
} };
</script>`,
  didomi: `<div id="didomi-host"><div id="didomi-popup" style="${COVER}"><div class="didomi-popup-notice">${TEXT}
<button id="didomi-notice-agree-button" onclick="answer('yes', document.getElementById('didomi-host'))">Go on</button>
<button id="didomi-notice-disagree-button" onclick="answer('no', document.getElementById('didomi-host'))">Leave it</button></div></div></div>`,
  late: `<script>setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<div id="didomi-host"><div id="didomi-popup" style="${COVER}"><button id="didomi-notice-agree-button">Go on</button><button id="didomi-notice-disagree-button">Leave it</button></div></div>'), 600);
addEventListener('click', ({ target }) => { if (target.closest('#didomi-host')) answer(target.id.includes('disagree') ? 'no' : 'yes', document.getElementById('didomi-host')); });</script>`,
  words: `<div class="x1" style="${COVER}"><div class="x2">${TEXT}${buttons("this.closest('.x1')")}</div></div>`,
  german: `<section style="${COVER};inset:auto 0 0 0"><p>Wir verwenden Cookies und geben personenbezogene Daten an Partner weiter. Ihre Einwilligung können Sie widerrufen.</p>${buttons("this.closest('section')", ['Alle akzeptieren', 'Nur notwendige Cookies'])}</section>`,
  flowing: `<div class="x1">${TEXT}${buttons("this.closest('.x1')")}</div>`,
  shadow: `<x-consent></x-consent><script>
const host = document.querySelector('x-consent');
host.attachShadow({ mode: 'open' }).innerHTML = '<style>div { ${COVER} }</style><div>' + ${JSON.stringify(TEXT)} + '<button id="yes">Accept all</button><button id="no">Reject all</button></div>';
for (const what of ['yes', 'no']) host.shadowRoot.getElementById(what).onclick = () => answer(what, host);
</script>`,
  frame: `<div id="sp_message_container_1" style="${COVER}"><iframe src="http://cmp.test:PORT/index.html?message_id=1" width="800" height="500"></iframe></div>
<script>addEventListener('message', ({ data }) => answer(data, document.getElementById('sp_message_container_1')));</script>`,
  gated: `<div class="x1" style="${COVER}">${TEXT}<button onclick="fetch('/api?ms=300').then((a) => a.json()).then(({ text }) => { document.querySelector('article').insertAdjacentHTML('beforeend', '<p id=gated>' + text + '</p>'); answer('yes', this.closest('.x1')); })">Accept all</button></div>`,
  leaving: `<div class="x1" style="${COVER}">${TEXT}<a href="/static?left">Accept all</a> <a href="/consent?dialog=leaving&amp;again">Reject all</a></div>`,
  deaf: `<div class="x1" style="${COVER}">${TEXT}<button>Accept all</button><button>Reject all</button></div>`,
  fixed: `<div class="x1" style="${COVER}">${TEXT}<button>Accept all</button></div>`,
  returning: `<script>
const show = () => document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(`<div class="x1" style="${COVER}">${TEXT}${buttons("this.closest('.x1')")}</div>`)});
show();
new MutationObserver(() => { if (!document.querySelector('.x1')) show(); }).observe(document, { childList: true, subtree: true });
setInterval(() => document.querySelector('.x1').style.display = 'block', 20);
</script>`,
  locked: `<div style="${COVER};background:#0008"></div><div role="dialog" class="x1" style="${COVER};inset:30%">${TEXT}${buttons("this.closest('.x1')")}</div>
<style>body { overflow: hidden; position: fixed; width: 100% } article { filter: blur(6px) }</style>`,
  policy: `<h2>Cookies</h2><p>Our privacy policy says which cookies and personal data our partners process with your consent.</p><button style="position:fixed;right:0">Contact</button>`,
};

export const CONSENT_ROUTES: Routes = {
  '/consent': ({ request, response, url }) => {
    const dialog = (DIALOGS[url.searchParams.get('dialog') ?? ''] ?? '').replaceAll(
      'PORT',
      String(request.socket.localPort),
    );
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(document(`${ARTICLE}<p>${MARK}</p>${ANSWERS}${dialog}`));
  },
  /** Shows an empty main part until its dialog is answered. */
  '/consent-first':
    page(`<main></main><div class="x1" style="${COVER}">${TEXT}<button>Accept all</button><button>Reject all</button></div>
<script>for (const button of document.querySelectorAll('button')) button.onclick = () => {
  document.querySelector('.x1').remove();
  document.querySelector('main').innerHTML = ${JSON.stringify(`<p>${MARK}</p>`)};
};</script>`),
  /** The frame of a consent manager. */
  '/index.html': page(`<p>We and our partners use cookies.</p>
<button class="sp_choice_type_11" onclick="parent.postMessage('yes', '*')">Fine</button>
<button class="sp_choice_type_13" onclick="parent.postMessage('no', '*')">Without</button>`),
  /** Its next document asks again, without end. */
  '/consent-maze': async ({ response, url }) => {
    await sleep(20);
    const next = `/consent-maze?n=${Number(url.searchParams.get('n') ?? 0) + 1}`;
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      document(
        `${ARTICLE}<div style="${COVER}">${TEXT}<a href="${next}">Accept all</a> <a href="${next}">Reject all</a></div>`,
      ),
    );
  },
};
