import ipaddr from 'ipaddr.js';

/** Bits of an IPv6 address that name a network: providers give each customer a /64 or more. */
const IPV6_NETWORK_BITS = 64;

/**
 * Returns the network that limits are counted for: an IPv4 address by itself, an IPv6 address's /64. A text that is no
 * address is its own network.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  // An IPv4 address that came through an IPv6 socket is the IPv4 address.
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv4') return parsed.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${IPV6_NETWORK_BITS}`).toString()}/${IPV6_NETWORK_BITS}`;
}
