/** What a PDF says of itself. */
export interface PdfMetadata {
  readonly title: string | undefined;
  readonly author: string | undefined;
  readonly description: string | undefined;
  readonly keywords: string | undefined;
  readonly language: string | undefined;
  /** ISO 8601. */
  readonly created: string | undefined;
  readonly modified: string | undefined;
}

/** The part of pdf.js' metadata that is read. */
export interface PdfJsMetadata {
  readonly info: object;
  readonly metadata: { get(name: string): unknown } | null;
}

const MAX_LENGTH = 1000;
/** Titles that programs put in by themselves: names of files, of programs and of nothing. */
const NO_TITLE =
  /^(?:untitled|title|document|microsoft (?:word|powerpoint|excel) ?-.*|.*\.(?:docx?|pptx?|xlsx?|odt|tex|dvi|indd|pdf|html?|qxd))$/i;
const DATE = /^D:(\d{4})(\d{2})?(\d{2})?(\d{2})?(\d{2})?(\d{2})?(?:Z|([+-])(\d{2})'?(\d{2})?)?/;
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z\d]{2,8}){0,3}$/i;

export function readMetadata({ info, metadata }: PdfJsMetadata): PdfMetadata {
  const fields = info as Record<string, unknown>;
  const field = (name: string, xmp: string): string | undefined => toText(metadata?.get(xmp)) ?? toText(fields[name]);
  const title = field('Title', 'dc:title');
  const language = toText(fields['Language']) ?? toText(metadata?.get('dc:language'));
  return {
    title: title !== undefined && NO_TITLE.test(title) ? undefined : title,
    author: field('Author', 'dc:creator'),
    description: field('Subject', 'dc:description'),
    keywords: field('Keywords', 'pdf:keywords'),
    language: language !== undefined && LANGUAGE.test(language) ? language : undefined,
    created: toIsoDate(toText(fields['CreationDate'])),
    modified: toIsoDate(toText(fields['ModDate'])),
  };
}

function toText(value: unknown): string | undefined {
  const text: unknown = Array.isArray(value) ? value.filter((one) => typeof one === 'string').join(', ') : value;
  if (typeof text !== 'string') return undefined;
  const clean = text
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH);
  return clean === '' ? undefined : clean;
}

/** A date as PDF writes it (ISO 32000, 7.9.4); undefined for what is none. */
function toIsoDate(text: string | undefined): string | undefined {
  const parts = DATE.exec(text ?? '');
  if (parts === null) return undefined;
  const [
    ,
    year = '',
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign,
    ahead,
    minutes = '00',
  ] = parts;
  const zone = sign === undefined ? 'Z' : `${sign}${ahead}:${minutes}`;
  const date = `${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`;
  return Number.isNaN(Date.parse(date)) ? undefined : date;
}
