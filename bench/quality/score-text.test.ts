import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countSnippets, scoreText } from './score-text.ts';

test('words are compared as multisets, without order, letter case and punctuation', () => {
  const score = scoreText('The cat, the dog.', 'the dog THE bird');
  assert.deepEqual(score, { f1: 0.75, precision: 0.75, recall: 0.75 });
  assert.equal(scoreText('the the the', 'the').recall, 1 / 3);
});

test('words have letters and numbers of every script', () => {
  assert.equal(scoreText('Москва 2024 год', 'москва ２０２４ год').recall, 2 / 3);
  assert.equal(scoreText('naïve_word', 'naïve word').f1, 0);
});

test('only an empty output matches an empty truth', () => {
  assert.equal(scoreText('', ' \n').f1, 1);
  assert.equal(scoreText('', 'menu').f1, 0);
  assert.equal(scoreText('text', '').f1, 0);
});

test('snippets are compared without punctuation, spaces and letter case', () => {
  const snippets = ['Add to Cart', "It's shipped in two da", 'Sold out', '--'];
  const output = 'add to\ncart\n\nIt’s shipped in  two days';
  assert.equal(countSnippets(snippets, output, { isWhole: false }), 2);
  assert.equal(countSnippets(snippets, output, { isWhole: true }), 1);
});

test('words of neutral text are not scored, except words of the truth', () => {
  assert.equal(scoreText('spring comes late', 'spring comes late or never', 'or never').f1, 1);
  assert.equal(scoreText('spring comes late', 'spring comes', 'late spring').recall, 2 / 3);
  assert.equal(scoreText('', 'perhaps', 'perhaps').f1, 1);
});
