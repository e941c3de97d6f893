import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RobotsGroup } from './robots-group.ts';

/** The reader truncates longer files. */
const LONGEST = 512 * 1024;

const isRefused = (rules: string, path: string): boolean =>
  new RobotsGroup(`User-agent: *\n${rules}`, 'Winnow').refusal(new URL(path, 'https://a.example')) !== undefined;

test('the longest rule wins, or the allowing rule of two equal ones', () => {
  const rules =
    'Disallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /d\nDisallow: /d\nAllow: /e/\nDisallow: /*/x$\nAllow: /f\nDisallow: /f$';
  for (const path of ['/a', '/ab', '/a/b/c', '/e/x', '/f']) assert.equal(isRefused(rules, path), true, path);
  for (const path of ['/', '/b', '/a/b', '/a/b/d', '/d', '/e/xx', '/e/x?y', '/fa'])
    assert.equal(isRefused(rules, path), false, path);
  assert.equal(isRefused('Disallow:\nAllow: /a', '/b'), false);
});

test('wildcards match any characters, $ the end of the path', () => {
  const cases: readonly (readonly [pattern: string, refused: readonly string[], allowed: readonly string[]])[] = [
    ['/*.gif$', ['/a.gif', '/a.gif.gif'], ['/a.gif?b', '/gif']],
    ['/a*b*c', ['/abc', '/axbbxcx', '/abbc'], ['/acb', '/ab', '/xabc']],
    ['/a*b$', ['/ab', '/abb', '/axbab'], ['/a', '/abx']],
    ['/ab*ab$', ['/abab', '/abxab'], ['/ab', '/abb']],
    ['*needle-long-enough*end$', ['/xneedle-long-enoughend'], ['/needle-long-enough', '/needle-long-enoughen']],
    ['/*aabaabaac', ['/aabaabaabaac', '/xaabaabaac'], ['/aabaabaabaab']],
    ['/a***$', ['/a', '/ab'], ['/b']],
    ['/price$list', ['/price$list'], ['/price']],
    ['/a$', ['/a'], ['/a$', '/ab']],
    ['/a%24', ['/a$', '/a%24b'], ['/a']],
    ['/a%2A', ['/a*', '/a%2a'], ['/ab']],
  ];
  for (const [pattern, refused, allowed] of cases) {
    for (const path of refused) assert.equal(isRefused(`Disallow: ${pattern}`, path), true, `${pattern} ${path}`);
    for (const path of allowed) assert.equal(isRefused(`Disallow: ${pattern}`, path), false, `${pattern} ${path}`);
  }
});

test('paths and rules are compared in one form of percent-encoding', () => {
  const same: readonly (readonly [pattern: string, path: string])[] = [
    ['/private', '/%70rivate/1'],
    ['/%70rivate', '/private/1'],
    ['/ツ', '/%E3%83%84'],
    ['/%e3%83%84', '/ツ'],
    ['/a b|c', '/a%20b%7cc'],
    ['/~a', '/%7Ea'],
    ['/*?q="x"', '/y?q=%22x%22'],
  ];
  for (const [pattern, path] of same) assert.equal(isRefused(`Disallow: ${pattern}`, path), true, `${pattern} ${path}`);
  assert.equal(isRefused('Disallow: /a/b', '/a%2Fb'), false, 'a reserved character differs from its escape');
  assert.equal(isRefused('Disallow: /%', '/%'), true);
});

test('groups that name our robot are merged, and unknown lines do not end a group', () => {
  const text = [
    '\uFEFFUser-Agent: winnow/2.0 # ours',
    'Crawl-delay: 5',
    '',
    'User-agent: Other',
    'Disallow: /a # with that',
    'Sitemap: https://a.example/map.xml',
    'Disallow: /b\r\nUser-agent: *',
    'Disallow: /c',
    'User-agent: Winnow',
    '  disallow : /d',
  ].join('\n');
  const refused = (agent: string): string[] =>
    ['/a', '/b', '/c', '/d'].filter(
      (path) => new RobotsGroup(text, agent).refusal(new URL(path, 'https://a.example')) !== undefined,
    );
  assert.deepEqual(refused('Winnow'), ['/a', '/b', '/d']);
  assert.deepEqual(refused('OTHER'), ['/a', '/b']);
  assert.deepEqual(refused('Third'), ['/c']);
});

// Checks: threat-robots
test('a malicious robots.txt takes bounded time to parse and match', () => {
  const fill = (line: string): string => line.repeat(LONGEST / line.length);
  const long = 'a'.repeat(7000);
  const files: readonly (readonly [rules: string, path: string])[] = [
    [`Disallow: /${'*'.repeat(LONGEST)}x`, `/${long}`],
    [`Disallow: /${'*a'.repeat(LONGEST / 2)}x`, `/${long}`],
    [`Disallow: *${'a'.repeat(1700)}b\n`.repeat(140), `/${long}`],
    [`Disallow: *${'a'.repeat(1000)}b${'a'.repeat(1000)}\n`.repeat(3), `/${long}`],
    [`Disallow: ${'*aab'.repeat(400)}\n`.repeat(140), `/${'aaa'.repeat(2300)}`],
    [`Disallow: /${'$'.repeat(LONGEST)}`, `/${'$'.repeat(7000)}`],
    [fill('Disallow:*ab\n'), `/${long}`],
    [fill('Disallow:/b\n'), `/${long}`],
    [fill('User-agent:x\n').slice(0, LONGEST / 2) + fill('Disallow:/b\n').slice(0, LONGEST / 2), '/a'],
    [
      Array.from({ length: 15_000 }, (_, robot) => `User-agent:${robot}\n`).join('') + 'Disallow:/b\n'.repeat(20_000),
      '/a',
    ],
  ];
  const start = process.threadCpuUsage();
  for (const [rules, path] of files) isRefused(rules, path);
  assert.ok(process.threadCpuUsage(start).user < 10_000_000, 'bounded time');
});

// Checks: threat-robots
test('only URLs with rules too expensive to match are refused', () => {
  const wildcards = 'Disallow: /*?session=\n'.repeat(500);
  assert.equal(isRefused(wildcards, '/a'), false);
  assert.equal(isRefused(wildcards, `/${'a'.repeat(7000)}`), true);
  assert.equal(isRefused('Disallow: /b\n'.repeat(10_000), '/a'), false);
  assert.equal(isRefused('Disallow: /b\n'.repeat(10_001), '/a'), true);
});
