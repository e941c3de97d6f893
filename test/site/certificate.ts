import { createHash, createPrivateKey, X509Certificate } from 'node:crypto';
import { generate } from 'selfsigned';
import {
  AuthorityInfoAccessExtension,
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';

export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
  /** PEM of the authority that signed it. */
  readonly ca: string;
  /** For Chromium's `--ignore-certificate-errors-spki-list`: base64 of the SHA-256 of the public key. */
  readonly spki: string;
}

/** Creates an authority and a certificate for the DNS names and 127.0.0.1, valid for a year by default. */
export async function createCertificate(
  names: readonly string[],
  notAfter?: Date,
  issuer: string = 'Winnow test authority',
): Promise<TestCertificate> {
  const authority = await generate([{ name: 'commonName', value: issuer }], {
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

/** A chain whose server leaves out the certificate in the middle, and says where it is. */
export interface IncompleteChain {
  readonly key: string;
  readonly cert: string;
  /** PEM of the authority at the top. */
  readonly ca: string;
  /** The missing certificate, encoded. */
  readonly missing: Buffer;
}

const CURVE = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

/** @param address of the missing certificate, as the certificate of 127.0.0.1 states it (RFC 5280, 4.2.2.1) */
export async function createIncompleteChain(address: string): Promise<IncompleteChain> {
  const [top, middle, own] = await Promise.all(
    [1, 2, 3].map(() => crypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])),
  );
  if (top === undefined || middle === undefined || own === undefined) throw new Error('no keys');
  const days = (count: number): Date => new Date(Date.now() + count * 86_400_000);
  const common = { notBefore: days(-1), notAfter: days(300), signingAlgorithm: CURVE };
  const signs = [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign),
  ];
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...common,
    serialNumber: '01',
    name: 'CN=Authority of an incomplete chain',
    keys: top,
    extensions: signs,
  });
  const between = await X509CertificateGenerator.create({
    ...common,
    serialNumber: '02',
    subject: 'CN=In the middle',
    issuer: authority.subject,
    publicKey: middle.publicKey,
    signingKey: top.privateKey,
    extensions: signs,
  });
  const last = await X509CertificateGenerator.create({
    ...common,
    serialNumber: '03',
    subject: 'CN=127.0.0.1',
    issuer: between.subject,
    publicKey: own.publicKey,
    signingKey: middle.privateKey,
    extensions: [
      new SubjectAlternativeNameExtension([{ type: 'ip', value: '127.0.0.1' }]),
      new AuthorityInfoAccessExtension({ caIssuers: [address] }),
    ],
  });
  const key = Buffer.from(await crypto.subtle.exportKey('pkcs8', own.privateKey));
  return {
    key: String(createPrivateKey({ key, type: 'pkcs8', format: 'der' }).export({ type: 'pkcs8', format: 'pem' })),
    cert: last.toString('pem'),
    ca: authority.toString('pem'),
    missing: Buffer.from(between.rawData),
  };
}
