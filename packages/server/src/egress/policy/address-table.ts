/**
 * Non-public addresses: the IANA special-purpose registries (RFC 6890 and its successors) and addresses of cloud
 * metadata services outside them. IPv6 outside global unicast (2000::/3) needs no row.
 */
export interface AddressRow {
  readonly cidr: string;
  /** Part of the error message. */
  readonly kind: string;
}

export const REFUSED_IPV4: readonly AddressRow[] = [
  { cidr: '0.0.0.0/8', kind: 'an unspecified address' },
  { cidr: '10.0.0.0/8', kind: 'a private address' },
  { cidr: '100.64.0.0/10', kind: 'a carrier-grade NAT address' },
  { cidr: '127.0.0.0/8', kind: 'a loopback address' },
  { cidr: '169.254.0.0/16', kind: 'a link-local or metadata address' },
  { cidr: '168.63.129.16/32', kind: 'a cloud metadata address' },
  { cidr: '172.16.0.0/12', kind: 'a private address' },
  { cidr: '192.0.0.0/24', kind: 'a reserved address' },
  { cidr: '192.0.2.0/24', kind: 'a documentation address' },
  { cidr: '192.31.196.0/24', kind: 'a reserved address' },
  { cidr: '192.52.193.0/24', kind: 'a reserved address' },
  { cidr: '192.88.99.0/24', kind: 'a 6to4 relay address' },
  { cidr: '192.168.0.0/16', kind: 'a private address' },
  { cidr: '192.175.48.0/24', kind: 'a reserved address' },
  { cidr: '198.18.0.0/15', kind: 'a benchmarking address' },
  { cidr: '198.51.100.0/24', kind: 'a documentation address' },
  { cidr: '203.0.113.0/24', kind: 'a documentation address' },
  { cidr: '224.0.0.0/4', kind: 'a multicast address' },
  { cidr: '240.0.0.0/4', kind: 'a reserved address' },
];

export const REFUSED_IPV6: readonly AddressRow[] = [
  { cidr: '::/128', kind: 'an unspecified address' },
  { cidr: '::1/128', kind: 'a loopback address' },
  { cidr: 'fc00::/7', kind: 'a private address' },
  { cidr: 'fe80::/10', kind: 'a link-local address' },
  { cidr: 'fec0::/10', kind: 'a site-local address' },
  { cidr: 'ff00::/8', kind: 'a multicast address' },
  { cidr: '100::/64', kind: 'a discard address' },
  { cidr: '64:ff9b:1::/48', kind: 'a local translation address' },
  { cidr: '2001::/32', kind: 'a Teredo tunnel address' },
  { cidr: '2001::/23', kind: 'a reserved address' },
  { cidr: '2001:db8::/32', kind: 'a documentation address' },
  { cidr: '2002::/16', kind: 'a 6to4 tunnel address' },
  { cidr: '2620:4f:8000::/48', kind: 'a reserved address' },
  { cidr: '3fff::/20', kind: 'a documentation address' },
  { cidr: '5f00::/16', kind: 'a segment routing address' },
];

/** The only IPv6 range of the public internet. */
export const GLOBAL_UNICAST_IPV6 = '2000::/3';

/**
 * IPv6 forms that embed an IPv4 address, which is judged. NAT64's well-known prefix is allowed: IPv6-only networks
 * reach every IPv4 site through it.
 */
export const IPV4_IN_IPV6: readonly AddressRow[] = [
  { cidr: '::ffff:0:0/96', kind: 'IPv4-mapped' },
  { cidr: '::ffff:0:0:0/96', kind: 'IPv4-translated' },
  { cidr: '64:ff9b::/96', kind: 'NAT64' },
  { cidr: '::/96', kind: 'IPv4-compatible' },
];

/** Interface identifiers of ISATAP (RFC 5214): the last four bytes are an internal IPv4 address. */
export const ISATAP_IDENTIFIERS: readonly (readonly number[])[] = [
  [0x00, 0x00, 0x5e, 0xfe],
  [0x02, 0x00, 0x5e, 0xfe],
];

/** Names of this machine or its host, regardless of the resolver (RFC 6761, hosts files, clouds). */
export const REFUSED_NAMES: readonly { readonly name: string; readonly kind: string }[] = [
  { name: 'localhost', kind: 'a name of this machine' },
  { name: '*.localhost', kind: 'a name of this machine' },
  { name: 'localhost.localdomain', kind: 'a name of this machine' },
  { name: '*.localdomain', kind: 'a name of this machine' },
  { name: 'localhost6', kind: 'a name of this machine' },
  { name: 'ip6-localhost', kind: 'a name of this machine' },
  { name: 'ip6-loopback', kind: 'a name of this machine' },
  { name: 'metadata.google.internal', kind: 'a cloud metadata name' },
  { name: 'metadata.goog', kind: 'a cloud metadata name' },
];

/**
 * The "bad ports" of the Fetch standard (https://fetch.spec.whatwg.org/#port-blocking): other protocols listen on them.
 */
export const REFUSED_PORTS: ReadonlySet<number> = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
]);
