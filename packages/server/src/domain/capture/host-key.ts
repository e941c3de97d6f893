/** The host of a URL, as far as it is one site that is asked: name and port, in one spelling. */
export function hostKeyOf({ hostname, port }: URL): string {
  const name = withoutRootDot(hostname);
  return port === '' ? name : `${name}:${port}`;
}

/** `example.com.` is `example.com` in full: both are the same host. */
export function withoutRootDot(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.') end--;
  return name.slice(0, end);
}
