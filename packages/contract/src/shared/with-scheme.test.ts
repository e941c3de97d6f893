import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withScheme } from './with-scheme.ts';

test('an address without a scheme gets https, or http on a host that has no certificate', () => {
  for (const address of [
    'example.com',
    'example.com:8443/a',
    '1.example.com',
    'localhost.example.com',
    'my-local.de?a',
  ])
    assert.equal(withScheme(` ${address}\n`), `https://${address}`);
  for (const address of [
    '127.0.0.1:8080/a',
    '10.1.2.3',
    '[::1]:8080/a.html',
    'localhost',
    'localhost:3000/a.b',
    'wiki/page.html',
    'app.localhost:80?q',
    'printer.local',
    'db.internal/x',
  ])
    assert.equal(withScheme(address), `http://${address}`);
  for (const address of ['', 'http://example.com', 'HTTPS://127.0.0.1/', 'ftp://localhost'])
    assert.equal(withScheme(`\t${address} `), address);
});
