/** A site on loopback that records its requests, under several addresses and names. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { createCertificate } from '../site/certificate.ts';
import { startDnsServer } from '../site/dns-server.ts';

export interface EchoedRequest {
  /** Host without the port. */
  readonly host: string;
  readonly scheme: 'http' | 'https';
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface EchoSite {
  readonly port: number;
  readonly httpsPort: number;
  /** `address:port` of a name server that knows every name under `.test`. */
  readonly dns: string;
  readonly ca: string;
  readonly chromiumArgs: readonly string[];
  /** The requests since the last call. */
  take(): EchoedRequest[];
  close(): Promise<void>;
}

const SENTENCE = 'The harbour town keeps its old market, and the fishermen sell there every morning. ';

/** Copies what scripts can read of the browser to attributes of the body. */
const FACTS = `document.body.dataset.language = navigator.language;
document.body.dataset.number = (1234.5).toLocaleString();
document.body.dataset.epoch = new Date(0).toString().slice(0, 33);
document.body.dataset.agent = navigator.userAgent;
document.body.dataset.width = String(screen.width);
document.body.dataset.touch = String(navigator.maxTouchPoints);
const hints = navigator.userAgentData;
document.body.dataset.brands = hints ? hints.brands.map(({ brand, version }) => brand + ' ' + version).join(', ') : '';
document.body.dataset.platform = hints ? hints.platform : '';
document.body.dataset.mobile = String(navigator.userAgentData ? navigator.userAgentData.mobile : '');
document.body.dataset.cookie = document.cookie;`;

/** @param foreign origin of another site from which the page loads a script */
function page(foreign: string, more: string): string {
  return `<!doctype html><html lang="en"><head><title>The market by the harbour</title>
<link rel="stylesheet" href="/style.css"><script src="/own.js"></script>
${foreign === '' ? '' : `<script src="${foreign}/foreign.js"></script>`}</head>
<body><article><h1>The market by the harbour</h1><p>${SENTENCE.repeat(6)}</p><p>${SENTENCE.repeat(6)}</p>
<img src="/fish.png" alt="Fish"></article>${more}<script>${FACTS}</script></body></html>`;
}

/** A script adds an element long after the page is idle. */
const LATE = `<script>setTimeout(() => {
  const late = document.createElement('p');
  late.id = 'late';
  late.textContent = 'The late paragraph has come.';
  document.querySelector('article').append(late);
}, 1500)</script>`;

/** Scripts add elements, long after the page is idle, to a shadow root inside another one and to a frame. */
const LATE_INSIDE = `<x-outer></x-outer><iframe srcdoc="<body>"></iframe><script>
const attach = (host) => host.attachShadow({ mode: 'open' });
const outer = attach(document.querySelector('x-outer'));
outer.innerHTML = '<section></section>';
const inner = attach(outer.firstChild);
setTimeout(() => {
  inner.innerHTML = '<p class="in-root">The late root has come.</p>';
  document.querySelector('iframe').contentDocument.body.innerHTML = '<p class="in-frame">The late frame has come.</p>';
}, 1500);</script>`;

function move(by: string, to: string): string {
  return by === 'script'
    ? `<script>location.href = ${JSON.stringify(to)}</script>`
    : `<meta http-equiv="refresh" content="2; url=${to}">`;
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://echo.test');
  const query = (name: string): string => url.searchParams.get(name) ?? '';
  const sendAs = (type: string, body: string): void => {
    response.writeHead(200, { 'Content-Type': type });
    response.end(body);
  };
  switch (url.pathname) {
    case '/redirect':
      response.writeHead(302, { Location: query('to') });
      response.end();
      return;
    case '/moves':
      return sendAs('text/html; charset=utf-8', `<p>One moment.</p>${move(query('by'), query('to'))}`);
    case '/report':
      return sendAs('application/pdf', '%PDF-1.4');
    case '/page':
      return sendAs('text/html; charset=utf-8', page(query('foreign'), ''));
    case '/late':
      return sendAs('text/html; charset=utf-8', page('', LATE));
    case '/late-inside':
      return sendAs('text/html; charset=utf-8', page('', LATE_INSIDE));
    case '/missing':
      response.writeHead(404, { 'Content-Type': 'text/html' });
      response.end('<!doctype html><title>Gone</title><p>There is no such page here.</p>');
      return;
    default:
      return sendAs(url.pathname.endsWith('.css') ? 'text/css' : 'text/javascript', '');
  }
}

/** @param addresses to listen on, all on one port */
export async function startEchoSite(addresses: readonly string[] = ['127.0.0.1', '127.0.0.2']): Promise<EchoSite> {
  let requests: EchoedRequest[] = [];
  const record =
    (scheme: 'http' | 'https') =>
    (request: IncomingMessage, response: ServerResponse): void => {
      const host = (request.headers.host ?? '').replace(/:\d+$/, '');
      requests.push({ host, scheme, path: request.url ?? '', headers: request.headers });
      answer(request, response);
    };
  const certificate = await createCertificate(['site.test', '*.test', '*.site.test']);
  const secure = https.createServer({ key: certificate.key, cert: certificate.cert }, record('https'));
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  const plain: Server[] = [];
  let port = 0;
  for (const address of addresses) {
    const server = createServer(record('http')).listen(port, address);
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
    plain.push(server);
  }
  const dns = await startDnsServer({ '*.test': () => ['127.0.0.1'] });
  return {
    port,
    httpsPort: (secure.address() as AddressInfo).port,
    dns: dns.address,
    ca: certificate.ca,
    chromiumArgs: [`--ignore-certificate-errors-spki-list=${certificate.spki}`],
    take() {
      const taken = requests;
      requests = [];
      return taken;
    },
    async close() {
      await dns.close();
      for (const server of [...plain, secure]) {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      }
    },
  };
}
