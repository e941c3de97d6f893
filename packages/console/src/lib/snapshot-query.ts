/** The most exact snapshot filter for a template's host. */
export function toSnapshotQuery(host: string): { readonly host?: string; readonly url?: string } {
  // The list filters whole hosts only, not suffixes.
  if (host.startsWith('.')) return { url: host };
  const url = URL.parse(`http://${host}/`);
  // The list filters hosts without port; the port is in the address.
  return url === null || url.port === '' ? { host } : { host: url.hostname, url: `//${host}/` };
}
