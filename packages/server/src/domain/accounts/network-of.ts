import ipaddr from 'ipaddr.js';

/** Providers assign at least a /64 to a customer. */
const IPV6_NETWORK_BITS = 64;

/** Returns an IPv4 address or an IPv6 /64; other text unchanged. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  // Treats IPv4-mapped IPv6 addresses as IPv4.
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_NETWORK_BITS}`).toString()}/${IPV6_NETWORK_BITS}`;
}
