/** Fills the database of a stopped service with as many rows as years of use. */
import { DatabaseSync } from 'node:sqlite';
import path from 'node:path';
import { zstdCompressSync } from 'node:zlib';

const SNAPSHOTS = 20_000;
const LOGGED_REQUESTS = 100_000;
const BATCHES = 2000;
const SPANS = 150_000;
const SAMPLES = 50_000;
const KEYS = 1000;

/** Results of each batch that is deleted or listed. */
const RESULTS = 100_000;
/** Results of a batch of large pages. */
const LARGE_RESULTS = 100;
const LARGE_RESULT_CHARACTERS = 5_000_000;
const URL_CHARACTERS = 1500;

export interface LargeDeployment {
  /** Ids of finished batches with 100,000 results each. */
  readonly batches: readonly string[];
  /** A finished batch whose results are large. */
  readonly largeBatch: string;
}

/**
 * @param dataDir of a stopped service that has started once
 * @param batches number of batches to create for deletion
 */
export function fillDatabase(dataDir: string, projectId: string, batches: number): LargeDeployment {
  const database = new DatabaseSync(path.join(dataDir, 'winnow.db'));
  try {
    database.exec('BEGIN');
    fillSnapshots(database, projectId);
    fillRequestLog(database, projectId);
    fillFigures(database, projectId);
    fillKeys(database, projectId);
    for (let index = 0; index < BATCHES; index += 1) insertBatch(database, projectId, `bat_small${index}`, 0);
    const ids = Array.from({ length: batches }, (_item, index) => `bat_many${index}`);
    const line = JSON.stringify({ index: 0, url: 'https://example.com/', result: { title: 'A page' } });
    for (const id of ids) fillBatch(database, projectId, { id, results: RESULTS, line });
    const largeBatch = 'bat_large';
    const text = 'word '.repeat(LARGE_RESULT_CHARACTERS / 5);
    const largeLine = JSON.stringify({
      index: 0,
      url: 'https://example.com/',
      result: { title: 'A page', main_text: text },
    });
    fillBatch(database, projectId, { id: largeBatch, results: LARGE_RESULTS, line: largeLine });
    database.exec('COMMIT');
    return { batches: ids, largeBatch };
  } finally {
    database.close();
  }
}

function fillSnapshots(database: DatabaseSync, projectId: string): void {
  const insert = database.prepare(
    `INSERT INTO snapshots (dom_id, project_id, hash, bytes, stored_bytes, url, final_url, host, status_code, engine,
       fetched_at, filtered, title) VALUES (?, ?, ?, 40000, 9000, ?, ?, 'example.com', 200, 'http', ?, 0, ?)`,
  );
  const url = `https://example.com/${'a'.repeat(URL_CHARACTERS)}`;
  for (let index = 0; index < SNAPSHOTS; index += 1) {
    const id = `dom_filled${index}`;
    insert.run(
      id,
      projectId,
      `hash-of-${id}`,
      `${url}${index}`,
      `${url}${index}b`,
      Date.now() - index,
      'A title '.repeat(30),
    );
  }
}

function fillRequestLog(database: DatabaseSync, projectId: string): void {
  const insert = database.prepare(
    `INSERT INTO request_log (id, project_id, at, request_id, source, method, endpoint, status, code, url, host, elapsed_ms)
       VALUES (?, ?, ?, ?, 'api', 'POST', '/v1/extract', 200, 'ok', 'https://example.com/page', 'example.com', 12)`,
  );
  const insertDetail = database.prepare('INSERT INTO request_details (id, detail) VALUES (?, ?)');
  const detail = JSON.stringify({ request: null, trace: [], error: null, answer: null });
  for (let index = 0; index < LOGGED_REQUESTS; index += 1) {
    insert.run(`log_${index}`, projectId, Date.now() - index, `req_${index}`);
    insertDetail.run(`log_${index}`, detail);
  }
}

function fillFigures(database: DatabaseSync, projectId: string): void {
  const insertSpan = database.prepare(
    `INSERT INTO request_spans (span_seconds, at, process, project_id, code, stage, engine, count, histogram)
       VALUES (3600, ?, ?, ?, ?, '', ?, 5, ?)`,
  );
  const histogram = JSON.stringify(Array.from({ length: 60 }, (_item, index) => index % 7));
  const now = Math.floor(Date.now() / 1000);
  const codes = ['ok', 'fetch_timeout', 'fetch_blocked', 'http_status_not_ok', 'no_template_matched'];
  for (let index = 0; index < SPANS; index += 1) {
    const at = now - Math.floor(index / 200) * 3600;
    const project = index % 20 === 0 ? projectId : `prj_other${index % 20}`;
    insertSpan.run(
      at,
      `process${Math.floor((index % 200) / 40)}`,
      project,
      codes[index % 5] ?? 'ok',
      `engine${Math.floor(index / 20) % 2}`,
      histogram,
    );
  }
  const insertSample = database.prepare(
    'INSERT INTO gauge_samples (at, process, name, project_id, value) VALUES (?, ?, ?, ?, 7)',
  );
  const names = ['stored_bytes', 'browsers_running', 'browsers_busy', 'browsers_waiting'];
  for (let index = 0; index < SAMPLES; index += 1)
    insertSample.run(now - index * 40, 'process0', names[index % 4] ?? '', index % 4 === 0 ? projectId : '');
}

function fillKeys(database: DatabaseSync, projectId: string): void {
  const insert = database.prepare(
    `INSERT INTO api_keys (id, project_id, name, kind, prefix, hash, created_at) VALUES (?, ?, ?, 'project', 'wnp_', ?, ?)`,
  );
  for (let index = 0; index < KEYS; index += 1)
    insert.run(`key_filled${index}`, projectId, `key ${index}`, `hash of key ${index}`, Date.now());
}

interface FilledBatch {
  readonly id: string;
  readonly results: number;
  /** Each result's line. */
  readonly line: string;
}

function fillBatch(database: DatabaseSync, projectId: string, { id, results, line }: FilledBatch): void {
  insertBatch(database, projectId, id, results);
  const insertItem = database.prepare(
    `INSERT INTO batch_items (batch_id, position, kind, value, state, attempts) VALUES (?, ?, 'url', ?, 'done', 1)`,
  );
  const insertResult = database.prepare('INSERT INTO batch_results (batch_id, position, body) VALUES (?, ?, ?)');
  const body = zstdCompressSync(line);
  for (let position = 0; position < results; position += 1) {
    insertItem.run(id, position, `https://example.com/page/${position}`);
    insertResult.run(id, position, body);
  }
}

function insertBatch(database: DatabaseSync, projectId: string, id: string, results: number): void {
  const now = Date.now();
  database
    .prepare(
      `INSERT INTO batches (id, project_id, fingerprint, state, loaded, total, options, created_at, finished_at,
         webhook_attempts, done) VALUES (?, ?, '', 'completed', 1, ?, '{"formats":[],"respectRobots":false}', ?, ?, 0, ?)`,
    )
    .run(id, projectId, results, now, now, results);
}
