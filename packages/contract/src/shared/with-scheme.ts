/** Hosts that hardly ever have a certificate: IP addresses, names without a dot, and the names of private networks. */
const WITHOUT_CERTIFICATE =
  /^(?:\[|[\d.]+(?![^:/?#])|[^./?#]+(?![^:/?#])|[^/?#:]+\.(?:localhost|local|internal)(?![^:/?#]))/i;

/** Returns the address without blanks around it; one without a scheme gets https, or http where that is likelier. */
export function withScheme(typed: string): string {
  const address = typed.trim();
  if (address === '' || /^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return address;
  return `${WITHOUT_CERTIFICATE.test(address) ? 'http' : 'https'}://${address}`;
}
