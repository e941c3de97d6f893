import { document, sleep } from '../route.ts';
import type { Route, Routes } from '../route.ts';

/** Ways in which a page can make its browser send requests; `T` is `host:port` of the target. */
const VECTORS: Readonly<Record<string, string>> = {
  image: '<img src="http://T/image">',
  picture: '<img srcset="http://T/srcset 1x">',
  script: '<script src="http://T/script"></script>',
  style: '<link rel="stylesheet" href="http://T/style">',
  'css-import': '<style>@import "http://T/import"; body { background: url(http://T/background) }</style>',
  font: '<style>@font-face { font-family: F; src: url(http://T/font) } p { font-family: F }</style><p>text</p>',
  iframe: '<iframe src="http://T/iframe"></iframe>',
  object: '<object data="http://T/object"></object><embed src="http://T/embed">',
  media:
    '<video src="http://T/video" autoplay muted poster="http://T/poster"></video><audio src="http://T/audio" autoplay></audio>',
  prefetch:
    '<link rel="prefetch" href="http://T/prefetch"><link rel="preload" as="image" href="http://T/preload"><link rel="modulepreload" href="http://T/module">',
  preconnect: '<link rel="preconnect" href="http://T"><link rel="dns-prefetch" href="http://T">',
  icon: '<link rel="icon" href="http://T/icon"><link rel="manifest" href="http://T/manifest">',
  fetch: "<script>fetch('http://T/fetch', { mode: 'no-cors' }).catch(() => {})</script>",
  'fetch-https': "<script>fetch('https://T/fetch-https', { mode: 'no-cors' }).catch(() => {})</script>",
  keepalive: "<script>fetch('http://T/keepalive', { mode: 'no-cors', keepalive: true }).catch(() => {})</script>",
  xhr: "<script>{ const x = new XMLHttpRequest(); x.open('GET', 'http://T/xhr'); x.send(); }</script>",
  beacon: "<script>navigator.sendBeacon('http://T/beacon', 'x')</script>",
  eventsource: "<script>new EventSource('http://T/eventsource')</script>",
  websocket: "<script>new WebSocket('ws://T/websocket')</script>",
  'websocket-tls': "<script>new WebSocket('wss://T/websocket-tls')</script>",
  worker:
    "<script>new Worker(URL.createObjectURL(new Blob([\"fetch('http://T/worker', { mode: 'no-cors' }).catch(() => {}); try { importScripts('http://T/import-scripts') } catch {}\"])))</script>",
  'shared-worker':
    "<script>new SharedWorker(URL.createObjectURL(new Blob([\"fetch('http://T/shared-worker', { mode: 'no-cors' }).catch(() => {})\"])))</script>",
  form: '<iframe name="sink"></iframe><form id="form" action="http://T/form" method="post" target="sink"></form><script>form.submit()</script>',
  popup:
    '<script>window.open(\'http://T/popup\')</script><a id="popup" href="http://T/link" target="_blank" ping="http://T/ping">x</a><script>popup.click()</script>',
  webrtc:
    "<script>{ const c = new RTCPeerConnection({ iceServers: [{ urls: 'stun:T' }, { urls: 'turn:T?transport=udp', username: 'u', credential: 'p' }, { urls: 'turn:T?transport=tcp', username: 'u', credential: 'p' }] }); c.createDataChannel('x'); c.createOffer().then((o) => c.setLocalDescription(o)); }</script>",
  webtransport: "<script>try { new WebTransport('https://T/webtransport').ready.catch(() => {}) } catch {}</script>",
  'webrtc-candidate': `<script>(async () => {
  const { hostname, port } = new URL('http://T/');
  const host = hostname.replace('[', '').replace(']', '');
  const [one, other] = [new RTCPeerConnection(), new RTCPeerConnection()];
  one.createDataChannel('x');
  await one.setLocalDescription(await one.createOffer());
  await other.setRemoteDescription(one.localDescription);
  await other.setLocalDescription(await other.createAnswer());
  await one.setRemoteDescription(other.localDescription);
  for (const kind of ['udp', 'tcp']) {
    const tail = kind === 'tcp' ? ' tcptype passive' : '';
    await one.addIceCandidate({ candidate: \`candidate:1 1 \${kind} 2130706431 \${host} \${port || 80} typ host\${tail}\`, sdpMid: '0' });
  }
})().catch(() => {})</script>`,
  download:
    '<a id="download" href="http://T/download" download="x.bin" target="_blank">x</a><iframe src="/download-at?target=T/"></iframe><script>download.click()</script>',
  speculation:
    '<script type="speculationrules">{"prefetch":[{"source":"list","urls":["http://T/speculative-prefetch"]}],"prerender":[{"source":"list","urls":["http://T/prerender"]}]}</script>',
  schemes: `<iframe src="view-source:http://T/view-source-frame"></iframe><iframe src="chrome://version"></iframe><script>
for (const url of ['view-source:http://T/view-source', 'chrome://version', 'chrome-untrusted://terminal', 'file:///etc/passwd', 'blob:http://T/blob', 'filesystem:http://T/x'])
  try { window.open(url); } catch {}
</script>`,
  file: '<iframe src="file:///etc/passwd"></iframe><img src="file:///etc/passwd"><script>fetch("file:///etc/passwd").catch(() => {})</script>',
};

/** Paths that arrive at an allowed target of `/attack`, one for each attack. */
export const ARRIVING_PATHS: readonly string[] = [
  '/image',
  '/script',
  '/style',
  '/background',
  '/iframe',
  '/fetch',
  '/xhr',
  '/eventsource',
  '/websocket',
  '/worker',
  '/form',
  '/keepalive',
];

const NAVIGATIONS: Readonly<Record<string, (target: string) => string>> = {
  replace: (target) => `<script>location.replace('http://${target}/replace')</script>`,
  assign: (target) => `<script>location.href = 'http://${target}/assign'</script>`,
  refresh: (target) => `<meta http-equiv="refresh" content="0; url=http://${target}/refresh">`,
  form: (target) =>
    `<form id="form" action="http://${target}/form" method="post"></form><script>form.submit()</script>`,
};

const targetOf = (url: URL): string => url.searchParams.get('target') ?? '';

const attack: Route = ({ response, url }) => {
  const wanted = url.searchParams.getAll('vector');
  const vectors = Object.entries(VECTORS).filter(([name]) => wanted.length === 0 || wanted.includes(name));
  const targets = url.searchParams.getAll('target');
  const body = targets.flatMap((target) =>
    vectors.map(([, markup]) =>
      markup.replaceAll('T/', `${target}/`).replaceAll('//T', `//${target}`).replaceAll(':T', `:${target}`),
    ),
  );
  response.writeHead(200, {
    'content-type': 'text/html',
    link: `<http://${targetOf(url)}/link-header>; rel=preload; as=image, <http://${targetOf(url)}>; rel=preconnect`,
    'content-security-policy-report-only': `img-src 'none'; report-uri http://${targetOf(url)}/csp-report`,
  });
  response.end(document(`<p>the page itself</p>${body.join('\n')}`));
};

/** Shows every address of this machine that WebRTC reveals, in candidates and in its offer. */
const addressLeak: Route = ({ response }) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(
    document(`<p id="told">gathering</p><script>(async () => {
  const connection = new RTCPeerConnection();
  const told = [];
  const isOver = new Promise((resolve) => {
    connection.onicecandidate = ({ candidate }) => candidate ? told.push(candidate.candidate) : resolve();
  });
  connection.createDataChannel('x');
  await connection.setLocalDescription(await connection.createOffer());
  await isOver;
  document.getElementById('told').textContent = 'told: ' + told.join(' ') + '; ' + connection.localDescription.sdp.match(/^c=.*$/gm);
})()</script>`),
  );
};

/** Sends early hints (103, which browsers follow over HTTP/2) for the target; with `?only=preconnect` no preload. */
const earlyHints: Route = async ({ response, url }) => {
  const target = targetOf(url);
  const preload = `<https://${target}/early-hint>; rel=preload; as=style`;
  const preconnect = `<https://${target}>; rel=preconnect`;
  response.writeEarlyHints({ link: url.searchParams.has('only') ? [preconnect] : [preload, preconnect] });
  // Gives the browser time to connect to the target, even on a busy machine.
  await sleep(1000);
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(document('<p>the page itself</p>'));
};

/** A service worker, which can send requests after its page is closed. */
const serviceWorker: Route = ({ response, url }) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(
    document(`<p>the page itself</p><script>
navigator.serviceWorker.register('/service-worker.js?target=${encodeURIComponent(targetOf(url))}').then(
  () => navigator.serviceWorker.ready).then(() => fetch('/pixel?worker-is-ready')).catch(() => {});
</script>`),
  );
};

const serviceWorkerScript: Route = ({ response, url }) => {
  response.writeHead(200, { 'content-type': 'text/javascript' });
  response.end(`const ask = () => fetch('https://${targetOf(url)}/service-worker', { mode: 'no-cors' }).catch(() => {});
addEventListener('install', (event) => event.waitUntil(ask()));
addEventListener('activate', (event) => event.waitUntil(Promise.all([ask(), clients.claim()])));`);
};

/** A download whose bytes come from elsewhere. */
const downloadAt: Route = ({ response, url }) => {
  const location = Buffer.from(`http://${targetOf(url)}`, 'utf8').toString('latin1');
  response.writeHead(302, { location, 'content-disposition': 'attachment; filename=x' }).end();
};

const navigate: Route = ({ response, url }) => {
  response.writeHead(200, { 'content-type': 'text/html' });
  response.end(document(NAVIGATIONS[url.searchParams.get('by') ?? '']?.(targetOf(url)) ?? ''));
};

/** Values of `by` for `/navigate`. */
export const NAVIGATION_NAMES: readonly string[] = Object.keys(NAVIGATIONS);

/** Pages that try to reach `?target=host:port` by every attack, or by each `vector` in the query. */
export const ATTACK_ROUTES: Routes = {
  '/attack': attack,
  '/navigate': navigate,
  '/address-leak': addressLeak,
  '/early-hints': earlyHints,
  '/service-worker': serviceWorker,
  '/service-worker.js': serviceWorkerScript,
  '/download-at': downloadAt,
};
