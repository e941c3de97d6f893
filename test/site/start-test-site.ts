import http from 'node:http';
import https from 'node:https';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { answerRequest } from './answer-request.ts';
import { createCertificate } from './certificate.ts';
import { startDnsServer } from './dns-server.ts';
import type { Answer, DnsServer } from './dns-server.ts';

export interface TestSite {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** `https://127.0.0.1:port`, with a certificate of {@link ca}. */
  readonly httpsOrigin: string;
  readonly port: number;
  readonly httpsPort: number;
  /** Egress rules that allow exactly this site, for WINNOW_EGRESS_ALLOW or a fetcher's options. */
  readonly allow: readonly string[];
  /** `127.0.0.1:port` of a name server: every name under `.test` is 127.0.0.1 unless `names` overrides it. */
  readonly dns: DnsServer;
  /** PEM of the certificate authority, and the arguments that make Chromium accept the certificate. */
  readonly ca: string;
  readonly chromiumArgs: readonly string[];
  /** Requested paths and queries, in order. */
  readonly requests: readonly string[];
  /** The origin under a name: `http://<name>:port`. */
  named(name: string): string;
  close(): Promise<void>;
}

/** Starts the site of ordinary, broken and hostile pages on loopback, with a name server that also knows `names`. */
export async function startTestSite(names: Readonly<Record<string, Answer>> = {}): Promise<TestSite> {
  const requests: string[] = [];
  const answer = (request: http.IncomingMessage, response: http.ServerResponse): void => {
    requests.push(request.url ?? '');
    void answerRequest(request, response);
  };
  const certificate = await createCertificate(['site.test', '*.test']);
  const plain = http.createServer(answer);
  const secure = https.createServer({ key: certificate.key, cert: certificate.cert }, answer);
  for (const server of [plain, secure]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const port = (plain.address() as AddressInfo).port;
  const httpsPort = (secure.address() as AddressInfo).port;
  const dns = await startDnsServer({ '*.test': () => ['127.0.0.1'], ...names });
  return {
    origin: `http://127.0.0.1:${port}`,
    httpsOrigin: `https://127.0.0.1:${httpsPort}`,
    port,
    httpsPort,
    allow: [`127.0.0.1:${port}`, `127.0.0.1:${httpsPort}`],
    dns,
    ca: certificate.ca,
    chromiumArgs: [`--ignore-certificate-errors-spki-list=${certificate.spki}`],
    requests,
    named: (name) => `http://${name}:${port}`,
    async close() {
      await dns.close();
      for (const server of [plain, secure]) {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      }
    },
  };
}
