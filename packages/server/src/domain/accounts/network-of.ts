import ipaddr from 'ipaddr.js';

/** Providers assign each customer a /64 or more. */
const IPV6_NETWORK_BITS = 64;

/** Returns the network for rate limits: an IPv4 address or an IPv6 /64; other text unchanged. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  // Treats IPv4-mapped IPv6 addresses as IPv4.
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_NETWORK_BITS}`).toString()}/${IPV6_NETWORK_BITS}`;
}
