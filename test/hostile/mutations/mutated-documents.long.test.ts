import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzPages, fuzzPdfs } from './mutated-documents.ts';

/** Each run takes a minute; the seeds go on from there by hand. */
const PAGES = 5000;
const PDFS = 500;

test('mutated pages in threads neither end the process nor give internal errors', async () => {
  const { faults } = await fuzzPages(0, PAGES);
  assert.deepEqual(faults, []);
});

test('mutated PDFs in processes neither end the service nor give internal errors', async () => {
  const { faults } = await fuzzPdfs(0, PDFS);
  assert.deepEqual(faults, []);
});
