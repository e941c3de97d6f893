import { createHash, X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';

export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
  /** PEM of the authority that signed it. */
  readonly ca: string;
  /** For Chromium's `--ignore-certificate-errors-spki-list`: base64 of the SHA-256 of the public key. */
  readonly spki: string;
}

/** Creates an authority and a certificate for the DNS names and 127.0.0.1, valid for a year by default. */
export async function createCertificate(names: readonly string[], notAfter?: Date): Promise<TestCertificate> {
  const authority = await generate([{ name: 'commonName', value: 'Winnow test authority' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const leaf = await generate([{ name: 'commonName', value: names[0] ?? 'localhost' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca: { key: authority.private, cert: authority.cert },
    ...(notAfter ? { notBeforeDate: new Date(0), notAfterDate: notAfter } : {}),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: [...names.map((value) => ({ type: 2 as const, value })), { type: 7 as const, ip: '127.0.0.1' }],
      },
    ],
  });
  const key = new X509Certificate(leaf.cert).publicKey.export({ type: 'spki', format: 'der' });
  return {
    key: leaf.private,
    cert: leaf.cert,
    ca: authority.cert,
    spki: createHash('sha256').update(key).digest('base64'),
  };
}
