import type { SnapshotRow } from '../../domain/storage/snapshot-ports.ts';

/** A stored snapshot of project `prj_a`, with the given fields replaced. */
export function makeSnapshotRow(domId: string, fields: Partial<SnapshotRow> = {}): SnapshotRow {
  return {
    domId,
    projectId: 'prj_a',
    hash: 'f'.repeat(64),
    bytes: 1000,
    storedBytes: 200,
    url: 'http://site.example/',
    finalUrl: 'http://site.example/home',
    statusCode: 200,
    engine: 'http',
    fetchedAt: new Date(Date.UTC(2026, 0, 1)),
    contentType: null,
    contentLanguage: null,
    title: null,
    filtered: false,
    ...fields,
  };
}
