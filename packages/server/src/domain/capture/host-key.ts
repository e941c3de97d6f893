import { createHash } from 'node:crypto';
import { learnUrlShapes, splitAddress } from '@winnow/extract/matching';

/** Hex characters: 64 bits. */
const SHAPE_LENGTH = 16;

/**
 * Returns a short key for the addresses of a host that templates take for one shape: the same fixed segments, kinds of
 * the others, and names in the query.
 */
export function shapeKeyOf(url: URL): string {
  const parts = splitAddress(url.href);
  const shape = JSON.stringify(parts === undefined ? [] : learnUrlShapes([parts]));
  return `${hostKeyOf(url)} ${createHash('sha256').update(shape).digest('hex').slice(0, SHAPE_LENGTH)}`;
}

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
