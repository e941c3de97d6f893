/** What lists the stored pages of a host that a template names, as exactly as the list can. */
export function toSnapshotQuery(host: string): { readonly host?: string; readonly url?: string } {
  // A suffix stands for every host below it; the list knows whole hosts only.
  if (host.startsWith('.')) return { url: host };
  const url = URL.parse(`http://${host}/`);
  // The list knows hosts by their names; the port stands in the address.
  return url === null || url.port === '' ? { host } : { host: url.hostname, url: `//${host}/` };
}
