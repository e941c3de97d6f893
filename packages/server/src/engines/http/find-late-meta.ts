import sniffEncoding from 'html-encoding-sniffer';

/** Scripts can move `<meta>` beyond 1024 bytes. */
const MAX_HEAD_BYTES = 65_536;

/** Each alternative also ends at the end of input, so matching is linear. */
const TOKEN =
  /<!--(?:-?>|[^]*?(?:-->|$))|<(script|style|title|textarea)(?=[\s>/])[^]*?(?:<\/\1|$)|(<\/head(?=[\s>/])|<body(?=[\s>/]))|<(?:(meta(?=[\s/]))|[a-z/!?])(?:=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$))|[^>])*?(?:>|$)/gi;

/** Returns the encoding of a `<meta>` after the first 1024 bytes, which browsers honour too. */
export function findLateMeta(bytes: Uint8Array): string | undefined {
  const head = bytes.subarray(0, MAX_HEAD_BYTES);
  for (const { index, 0: token, 2: end, 3: meta } of Buffer.from(head).toString('latin1').matchAll(TOKEN)) {
    if (end !== undefined) return undefined;
    if (meta === undefined) continue;
    const tag = head.subarray(index, index + token.length);
    const encoding = sniffEncoding(tag, { defaultEncoding: '', maxPrescanBytes: Infinity });
    if (encoding !== '') return encoding;
  }
  return undefined;
}
