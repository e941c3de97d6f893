import assert from 'node:assert/strict';
import { test } from 'node:test';
import { escapeControls, escapeLines } from './escape-controls.ts';

// Checks: threat-terminal
test('characters that control a terminal or forge a line are escaped, and other text is not', () => {
  assert.equal(escapeControls('a\u001B[2J\nb\r\tc\u009B1m\u007F'), String.raw`a\u001b[2J\nb\r\tc\u009b1m\u007f`);
  assert.equal(escapeControls('\u202Egpj.exe\u2066\u061C\u2028'), String.raw`\u202egpj.exe\u2066\u061c\u2028`);
  assert.equal(escapeControls('\u{E0041}'), String.raw`\udb40\udc41`);
  const plain = 'Füße, 東京, العربية, 👩‍💻, می‌خواهم "quoted" \\n';
  assert.equal(escapeControls(plain), plain);
  assert.equal(escapeLines('a\n\tb\r\u001B'), `a\n\tb${String.raw`\r\u001b`}`);
});

test('escaped JSON has the same values', () => {
  const value = { text: 'a\u001B\u009B\u202E\u2028\u{E0041}\n' };
  const json = escapeLines(JSON.stringify(value, undefined, 2));
  assert.doesNotMatch(json, /[^\P{Cc}\n]|\u202E/u);
  assert.deepEqual(JSON.parse(json), value);
});
