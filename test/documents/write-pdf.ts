import { deflateSync } from 'node:zlib';

/** Writes a PDF of these objects, numbered from 1; the first is the catalogue. */
export function writePdf(objects: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from('%PDF-1.7\n')];
  const offsets: number[] = [];
  let length = 9;
  const add = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    add(Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from('\nendobj\n')]));
  }
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  add(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${rows}trailer <</Root 1 0 R/Size ${count}>>\nstartxref\n${start}\n%%EOF`,
    ),
  );
  return Buffer.concat(parts);
}

export function stream(entries: string, data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`<<${entries}/Length ${data.length}>>\nstream\n`),
    data,
    Buffer.from('\nendstream'),
  ]);
}

/** Writes a PDF of one page with this content. */
export function writePage(
  content: Buffer,
  more: { catalog?: string; page?: string; objects?: readonly string[] } = {},
): Buffer {
  return writePdf([
    `<</Type/Catalog/Pages 2 0 R${more.catalog ?? ''}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>${more.page ?? ''}>>`,
    content,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...(more.objects ?? []),
  ]);
}

/** Returns a stream that expands to this number of bytes, compressed `layers` times. */
export function packBomb(bytes: number, layers: number): Buffer {
  let data = deflateSync(Buffer.alloc(bytes, ' '), { level: 9 });
  for (let layer = 1; layer < layers; layer += 1) data = deflateSync(data, { level: 9 });
  return stream(`/Filter[${'/FlateDecode'.repeat(layers)}]`, data);
}

/** Returns page content that draws these lines; after every 50 it starts at the top again. */
export function drawLines(lines: readonly string[]): Buffer {
  const escaped = lines.map(
    (line, index) => `1 0 0 1 50 ${760 - 14 * (index % 50)} Tm (${line.replaceAll(/[()\\]/g, String.raw`\$&`)}) Tj`,
  );
  return stream('/Filter/FlateDecode', deflateSync(`BT /F 11 Tf ${escaped.join('\n')} ET`));
}

const FORMS = 26;

/** Writes a PDF of forms, each of which draws the next one twice: reading it takes hours. */
export function writeDoublingForms(): Buffer {
  const forms = Array.from({ length: FORMS }, (_, index) =>
    stream(
      `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X ${Math.min(index + 7, FORMS + 5)} 0 R>>/Font<</F 5 0 R>>>>`,
      Buffer.from(index + 1 === FORMS ? 'BT /F 9 Tf (x) Tj ET' : '/X Do /X Do'),
    ).toString('latin1'),
  );
  return writePage(stream('', Buffer.from('/X Do')), { page: '/Resources<</XObject<</X 6 0 R>>>>', objects: forms });
}

export interface CidFont {
  /** Entries of the descendant font, such as its widths. */
  readonly entries?: string;
  readonly isVertical?: boolean;
  /** Operators of the ToUnicode map between `begincmap` and `endcmap`. */
  readonly toUnicode?: string;
}

/** Writes a PDF of two characters in a font whose characters are numbered. */
export function writeCidPage({ entries = '', isVertical = false, toUnicode }: CidFont): Buffer {
  const map = toUnicode === undefined ? '' : '/ToUnicode 7 0 R';
  return writePdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    stream('', Buffer.from('BT /F 12 Tf 50 700 Td <00410042> Tj ET')),
    `<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-${isVertical ? 'V' : 'H'}/DescendantFonts[6 0 R]${map}>>`,
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>${entries}>>`,
    ...(toUnicode === undefined ? [] : [stream('', Buffer.from(`begincmap ${toUnicode} endcmap`))]),
  ]);
}

/** Fonts of a few bytes that state ranges of millions of characters, each of which a reader writes to memory. */
export const ENDLESS_FONTS: Readonly<Record<'widths' | 'vertical metrics' | 'Unicode map', CidFont>> = {
  widths: { entries: '/W[0 4294967295 500]' },
  'vertical metrics': { entries: '/W2[0 4294967295 -1000 500 880]', isVertical: true },
  'Unicode map': {
    toUnicode:
      '1 begincodespacerange <000000> <FFFFFF> endcodespacerange 1 beginbfrange <000000> <FFFFFF> <0041> endbfrange',
  },
};
