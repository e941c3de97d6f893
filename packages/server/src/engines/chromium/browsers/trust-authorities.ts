import { createHash, X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { AppError } from '../../../domain/shared/errors.ts';

/** Constants of PKCS #11 and of NSS (pkcs11t.h, pkcs11n.h). */
const CERTIFICATE = 1;
const TRUST = 0xce53_4353;
const TRUSTED_AUTHORITY = 0xce53_4352;
const UNKNOWN_TRUST = 0xce53_4355;

/** Columns are attributes, named in hexadecimal. Besides those of our rows, NSS searches by these. */
const SEARCHED = ['a90', 'a100', 'a110', 'a111', 'a120', 'ace534351', 'ace534352', 'ad5a0db00'];

/**
 * Makes a browser trust authorities (PEM), besides its own: Chromium on Linux reads the database of certificates that NSS
 * keeps in the home folder. `certutil` would write the same rows, and is seldom installed.
 * @param home empty home folder of the browser
 * @throws {AppError} `engine_unavailable` on a system whose browsers read another store
 */
export function trustAuthorities(home: string, authorities: readonly string[]): void {
  if (process.platform !== 'linux') {
    const message =
      'WINNOW_CA_FILE: browsers read its authorities on Linux only; add them to the store of this system and unset it';
    throw new AppError('engine_unavailable', message, { retryable: false });
  }
  const folder = join(home, '.pki', 'nssdb');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const database = new DatabaseSync(join(folder, 'cert9.db'));
  try {
    // It lives as long as the browser.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN');
    const rows = authorities.flatMap(describeAuthority);
    const columns = [...new Set([...rows.flatMap((row) => Object.keys(row)), ...SEARCHED])].toSorted();
    database.exec(`CREATE TABLE nssPublic (id PRIMARY KEY UNIQUE ON CONFLICT ABORT, ${columns.join(', ')})`);
    for (const [id, row] of rows.entries()) {
      const names = Object.keys(row);
      const places = names.map(() => '?').join(', ');
      const insert = database.prepare(`INSERT INTO nssPublic (id, ${names.join(', ')}) VALUES (?, ${places})`);
      insert.run(id + 1, ...Object.values(row));
    }
    database.exec('COMMIT');
  } finally {
    database.close();
  }
}

type Row = Readonly<Record<string, Uint8Array>>;

function describeAuthority(pem: string): Row[] {
  const { raw } = new X509Certificate(pem);
  const { serial, issuer, subject } = readNames(raw);
  const common = { a1: TRUE, a2: FALSE, a3: Buffer.from('winnow'), a81: issuer, a82: serial, a170: TRUE };
  return [
    { ...common, a0: number(CERTIFICATE), a11: raw, a80: number(0), a101: subject, a102: digest('sha1', raw) },
    {
      ...common,
      a0: number(TRUST),
      // Trusted for servers; not for clients, code and mail.
      ace536358: number(TRUSTED_AUTHORITY),
      ace536359: number(UNKNOWN_TRUST),
      ace53635a: number(UNKNOWN_TRUST),
      ace53635b: number(UNKNOWN_TRUST),
      ace536360: FALSE,
      ace5363b4: digest('sha1', raw),
      ace5363b5: digest('md5', raw),
    },
  ];
}

const TRUE = Buffer.from([1]);
const FALSE = Buffer.from([0]);

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function digest(algorithm: 'sha1' | 'md5', bytes: Uint8Array): Buffer {
  return createHash(algorithm).update(bytes).digest();
}

const VERSION_TAG = 0xa0;

/** Returns the encoded serial number, issuer and subject of a valid certificate (RFC 5280, 4.1). */
function readNames(raw: Buffer): { readonly serial: Buffer; readonly issuer: Buffer; readonly subject: Buffer } {
  const [whole] = readElements(raw);
  const [signed] = readElements(whole?.content ?? raw);
  const fields = readElements(signed?.content ?? raw).filter(({ all }) => all[0] !== VERSION_TAG);
  const [serial, , issuer, , subject] = fields.map(({ all }) => all);
  if (serial === undefined || issuer === undefined || subject === undefined)
    throw new Error('the certificate cannot be read');
  return { serial, issuer, subject };
}

interface Element {
  /** With its tag and length. */
  readonly all: Buffer;
  readonly content: Buffer;
}

/** Reads elements of DER that follow each other. */
function readElements(bytes: Buffer): Element[] {
  const elements: Element[] = [];
  for (let start = 0; start + 1 < bytes.length;) {
    const first = bytes.readUInt8(start + 1);
    const count = first < 0x80 ? 0 : first - 0x80;
    const from = start + 2 + count;
    const length = count === 0 ? first : bytes.readUIntBE(start + 2, count);
    elements.push({ all: bytes.subarray(start, from + length), content: bytes.subarray(from, from + length) });
    start = from + length;
  }
  return elements;
}
