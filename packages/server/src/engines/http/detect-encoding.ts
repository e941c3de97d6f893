/**
 * jschardet finds encodings as browsers do, where a page declares none; ICU's tables (another package) know neither
 * Thai nor CP866, and confuse Hebrew and Turkish. It is loaded when it is first needed: its models take some 20 MB.
 */

/** The encodings that pages of the web use undeclared: the detector's name, and the name in the Encoding standard. */
const WEB_ENCODINGS: ReadonlyMap<string, string> = new Map([
  ['shift_jis_2004', 'shift_jis'],
  ['cp932', 'shift_jis'],
  ['euc_jis_2004', 'euc-jp'],
  ['iso2022_jp_2', 'iso-2022-jp'],
  ['gb18030', 'gb18030'],
  ['big5hkscs', 'big5'],
  ['euc_kr', 'euc-kr'],
  ['cp949', 'euc-kr'],
  ['tis-620', 'windows-874'],
  ['cp874', 'windows-874'],
  ['cp1250', 'windows-1250'],
  ['cp1251', 'windows-1251'],
  ['cp1252', 'windows-1252'],
  ['cp1253', 'windows-1253'],
  ['cp1254', 'windows-1254'],
  ['cp1255', 'windows-1255'],
  ['cp1256', 'windows-1256'],
  ['cp1257', 'windows-1257'],
  ['cp1258', 'windows-1258'],
  ['cp866', 'ibm866'],
  ['koi8-r', 'koi8-r'],
  ['koi8-u', 'koi8-u'],
  ['iso8859-2', 'iso-8859-2'],
  ['iso8859-5', 'iso-8859-5'],
  ['iso8859-6', 'iso-8859-6'],
  ['iso8859-7', 'iso-8859-7'],
  ['iso8859-8', 'iso-8859-8-i'],
  ['iso8859-9', 'windows-1254'],
]);

/** Enough for a sure answer; ten times as much only takes longer. */
const MAX_SAMPLE_BYTES = 8192;
const MAX_SEARCHED_BYTES = 2 ** 20;

/** Tags, comments and code; each alternative also ends at the end of input, so that matching is linear. */
const MARKUP = /<!--[^]*?(?:-->|$)|<(script|style)(?=[\s/>])[^]*?(?:<\/\1|$)|<[a-z/!?][^>]*(?:>|$)/gi;
/** The start of Japanese text in ISO-2022-JP, which has no bytes beyond ASCII. */
export const JAPANESE_ESCAPE = '\u001b$';

/** Returns the probable encoding of text that is not UTF-8, by its name in the Encoding standard. */
export async function detectEncoding(bytes: Uint8Array): Promise<string> {
  const sample = takeSample(bytes);
  // Of nothing the detector writes a warning to the console.
  if (sample.length === 0) return 'windows-1252';
  const { chardet } = await import('jschardet');
  const options = {
    includeEncodings: [...WEB_ENCODINGS.keys()],
    encodingEra: chardet.EncodingEra.ALL,
    compatNames: false,
  };
  const { encoding } = chardet.detect(sample, options);
  return WEB_ENCODINGS.get(encoding ?? '') ?? 'windows-1252';
}

/** Lines of the text with bytes beyond ASCII: markup and English words would hide what they say. */
function takeSample(bytes: Uint8Array): Uint8Array {
  const start = Buffer.from(bytes.subarray(0, MAX_SEARCHED_BYTES)).toString('latin1');
  const lines: string[] = [];
  let size = 0;
  for (const line of start.replaceAll(MARKUP, '\n').split('\n')) {
    if (!/[\u0080-\u00ff]/.test(line) && !line.includes(JAPANESE_ESCAPE)) continue;
    lines.push(line);
    size += line.length;
    if (size >= MAX_SAMPLE_BYTES) break;
  }
  return Buffer.from(lines.join('\n').slice(0, 2 * MAX_SAMPLE_BYTES), 'latin1');
}
