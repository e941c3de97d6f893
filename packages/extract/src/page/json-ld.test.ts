import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readLinkedData } from './json-ld.ts';

function read(script: string): { types: readonly string[]; path: string }[] {
  return readLinkedData([script]).objects.map(({ types, path }) => ({ types, path }));
}

const REPAIRED: readonly (readonly [string, string])[] = [
  ['a trailing comma', '{"@type":"Article","keywords":["a","b",],}'],
  ['an HTML comment around it', '<!--\n{"@type":"Article"}\n-->'],
  ['CDATA marks', '//<![CDATA[\n{"@type":"Article"}\n//]]>'],
  ['a raw line break in a string', '{"@type":"Article","headline":"two\nlines"}'],
  ['text after the end', '{"@type":"Article"};\nvar x = 1;'],
  ['a missing end', '{"@type":"Article","headline":"cut'.concat('"')],
  ['an escape unknown to JSON', String.raw`{"@type":"Article","headline":"Harbour\'s new pier"}`],
  ['a no-break space between tokens', '{"@type":\u00a0"Article",\u00a0"headline":"x"\u00a0}'],
  ['byte order marks', '\ufeff{\ufeff"@type":"Article"}\ufeff'],
  ['a line separator and a zero-width space', '{\u2028"@type":\u200b"Article"}'],
  ['a comment inside', '{/* note */"@type":"Article"}'],
];

for (const [damage, script] of REPAIRED) {
  test(`repairs ${damage}`, () => {
    assert.deepEqual(read(script)[0], { types: ['Article'], path: '' });
  });
}

/** A string in a broken document, and its expected value. */
const STRINGS: readonly (readonly [string, string])[] = [
  [String.raw`Harbour\'s pier`, "Harbour's pier"],
  [String.raw`Harbour\x27s pier`, "Harbour's pier"],
  [String.raw`a \"quoted\" word`, 'a "quoted" word'],
  [String.raw`C:\\new \u0041\n\/`, 'C:\\new A\n/'],
  [String.raw`half \u12 and \xz`, 'half u12 and xz'],
  [String.raw`C:\New\User`, 'C:NewUser'],
  ['no-break\u00a0space stays', 'no-break\u00a0space stays'],
  ['C:\\\nnext', 'C:\nnext'],
];

for (const [written, expected] of STRINGS) {
  test(`reads the string ${JSON.stringify(written)} of a broken document`, () => {
    const data = readLinkedData([`{"@type":"Article","headline":"${written}",}`]);
    assert.equal(data.objects[0]?.properties['headline'], expected);
  });
}

test('flattens graphs, lists and nested objects, with their paths', () => {
  const objects = read(
    '{"@graph":[{"@type":"WebSite"},{"@type":"http://schema.org/NewsArticle","author":[{"@type":"Person"}]}]}',
  );
  assert.deepEqual(
    objects.filter(({ types }) => types.length > 0),
    [
      { types: ['WebSite'], path: '' },
      { types: ['NewsArticle'], path: '' },
      { types: ['Person'], path: 'author' },
    ],
  );
});

test('resolves references within the page', () => {
  const data = readLinkedData([
    '{"@graph":[{"@id":"#jane","name":"Jane Doe"},{"@type":"Article","author":{"@id":"#jane"}}]}',
  ]);
  assert.equal(data.byId.get('#jane')?.['name'], 'Jane Doe');
});

test('reads several documents from one script', () => {
  assert.equal(read('{"@type":"A"}{"@type":"B"}').length, 2);
});

test('skips JSON bombs without failing', () => {
  assert.deepEqual(readLinkedData(['['.repeat(500_000)]).objects, []);
  assert.deepEqual(readLinkedData([`{"a":"${'x'.repeat(1_100_000)}"}`]).objects, []);
  const deep = readLinkedData(['{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)]);
  assert.ok(deep.objects.length <= 50);
  assert.deepEqual(readLinkedData([`{"a":"${'\\'.repeat(900_001)}`]).objects, []);
  const wide = readLinkedData([`[${'{"@type":"Article"},'.repeat(20_000)}1]`]);
  assert.ok(wide.objects.length <= 5_000);
});
