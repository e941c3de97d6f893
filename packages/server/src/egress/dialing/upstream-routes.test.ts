import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileRoute } from './upstream-routes.ts';

const proxy = new URL('http://main.test:3128');
const named = new Map([['eu', new URL('http://eu.test:3128')]]);

// Checks: threat-upstream-proxy
void test('a bypass covers hosts with their subdomains, addresses, ranges and ports, as in NO_PROXY', () => {
  const cases: readonly (readonly [entry: string, direct: readonly string[], proxied: readonly string[]])[] = [
    ['corp.test', ['corp.test:80', 'a.b.corp.test:443', 'CORP.test.:80'], ['xcorp.test:80', 'corp.test.example:80']],
    ['.corp.test', ['corp.test:80', 'a.corp.test:80'], ['xcorp.test:80']],
    ['*.corp.test', ['corp.test:80', 'a.corp.test:80'], ['xcorp.test:80']],
    ['corp.test:8080', ['corp.test:8080', 'a.corp.test:8080'], ['corp.test:80']],
    ['10.0.0.0/8', ['10.1.2.3:80'], ['11.1.2.3:80', 'ten.test:80']],
    ['192.0.2.7', ['192.0.2.7:80'], ['192.0.2.8:80', '1.192.0.2.7.test:80']],
    ['192.0.2.7:81', ['192.0.2.7:81'], ['192.0.2.7:80']],
    ['2001:db8::/32', ['[2001:db8::1]:80'], ['[2001:db9::1]:80']],
    ['*', ['any.test:80', '192.0.2.7:80'], []],
  ];
  for (const [entry, direct, proxied] of cases) {
    const route = compileRoute({ proxy, bypass: [entry] });
    const routeOf = (target: string): URL | undefined => {
      const [, host = '', port] = /^(.*):(\d+)$/.exec(target) ?? [];
      return route(host, Number(port));
    };
    for (const target of direct) assert.equal(routeOf(target), undefined, `${entry}: ${target} is direct`);
    for (const target of proxied) assert.equal(routeOf(target), proxy, `${entry}: ${target} uses the proxy`);
  }
});

void test('a project uses its named proxy, and an unknown name is an error', () => {
  const options = { proxy, named };
  assert.equal(compileRoute(options)('a.test', 80), proxy);
  assert.equal(compileRoute(options, 'eu')('a.test', 80), named.get('eu'));
  assert.equal(compileRoute(options, 'direct')('a.test', 80), undefined);
  assert.throws(() => compileRoute(options, 'us'), /no upstream proxy "us"; there are: eu, direct/);
});
