/** Returns host and port without the default port. */
export function hostKeyOf({ hostname, port }: URL): string {
  const name = withoutRootDot(hostname);
  return port === '' ? name : `${name}:${port}`;
}

/** `example.com.` and `example.com` are the same host. */
export function withoutRootDot(name: string): string {
  let end = name.length;
  while (name[end - 1] === '.') end--;
  return name.slice(0, end);
}
