import sniffEncoding from 'html-encoding-sniffer';

/** Bytes in which a `<meta>` is looked for: heads with a lot of script in front of it are longer than 1024. */
const MAX_HEAD_BYTES = 65_536;

/**
 * What a head consists of: comments, elements whose content is text, its end, and other tags. Each alternative ends at the
 * end of the input at the latest, so that none is tried in vain and the time is linear.
 */
const TOKEN =
  /<!--(?:-?>|[^]*?(?:-->|$))|<(script|style|title|textarea)(?=[\s>/])[^]*?(?:<\/\1|$)|(<\/head(?=[\s>/])|<body(?=[\s>/]))|<(?:(meta(?=[\s/]))|[a-z/!?])(?:=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$))|[^>])*?(?:>|$)/gi;

/**
 * The encoding that the first `<meta>` of the head names that names one, wherever it stands: browsers look for it in the
 * first 1024 bytes, and change the encoding when they meet one later on.
 */
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
