import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readContentType } from '../shared/content-type.ts';
import { decodeDocument } from './decode-document.ts';

/** A line of a text in its language, and the encodings in which old pages of that language come. */
const FOREIGN_LINES: Record<string, { readonly text: string; readonly encodings: readonly string[] }> = {
  ja: {
    text: '山の上の古い図書館は、今年の秋から夜も開いています。',
    encodings: ['shift_jis', 'euc-jp'],
  },
  'zh-CN': { text: '山上的旧图书馆从今年秋天开始晚上也开放了。', encodings: ['gbk', 'gb18030'] },
  'zh-TW': { text: '山上的舊圖書館從今年秋天開始晚上也開放了。', encodings: ['big5'] },
  ko: { text: '산 위의 오래된 도서관은 올가을부터 밤에도 문을 엽니다.', encodings: ['euc-kr'] },
  ru: {
    text: 'Старая библиотека на холме с этой осени открыта и по вечерам.',
    encodings: ['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5'],
  },
  uk: { text: 'Стара бібліотека на пагорбі від цієї осені відчинена й увечері.', encodings: ['windows-1251'] },
  cs: {
    text: 'Stará knihovna na kopci je od letošního podzimu otevřena také večer.',
    encodings: ['iso-8859-2', 'windows-1250'],
  },
  hu: {
    text: 'A dombon álló régi könyvtár ősztől este is nyitva tart, és többé nem zár be hétfőnként.',
    encodings: ['iso-8859-2'],
  },
  el: { text: 'Η παλιά βιβλιοθήκη στον λόφο είναι ανοιχτή και το βράδυ.', encodings: ['iso-8859-7', 'windows-1253'] },
  tr: {
    text: 'Tepedeki eski kütüphane bu sonbahardan itibaren akşamları da açık, girişi ücretsiz.',
    encodings: ['windows-1254'],
  },
  he: { text: 'הספרייה הישנה על הגבעה פתוחה מהסתיו גם בערב.', encodings: ['windows-1255'] },
  ar: { text: 'المكتبة القديمة على التل مفتوحة منذ هذا الخريف في المساء أيضا.', encodings: ['windows-1256'] },
  th: { text: 'ห้องสมุดเก่าบนเนินเขาเปิดในตอนเย็นตั้งแต่ฤดูใบไม้ร่วงนี้', encodings: ['windows-874'] },
  fr: {
    text: 'La vieille bibliothèque est désormais ouverte le soir, à la fraîcheur de l’été.',
    encodings: ['windows-1252'],
  },
  de: {
    text: 'Die alte Bücherei auf dem Hügel öffnet künftig auch am späten Abend für Gäste.',
    encodings: ['windows-1252'],
  },
};

/** ESC $ B, then two bytes a character. */
const ISO_2022_JP_TEXT = Buffer.from('\u001b$B;3$N>e$N8E$$?^=q4[\u001b(B', 'latin1');

/** Every character of an encoding with its bytes, found by decoding all bytes and pairs of bytes at once. */
const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

function tableOf(encoding: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const all: number[][] = [];
  for (let lead = 0x81; lead < 0xff; lead++) for (let trail = 0x40; trail < 0xff; trail++) all.push([lead, trail]);
  for (let byte = 1; byte <= 0xff; byte++) if (byte !== 0x0a) all.push([byte]);
  const decoded = new TextDecoder(encoding).decode(Uint8Array.from(all.flatMap((bytes) => [...bytes, 0x0a])));
  const table = new Map<string, readonly number[]>(
    decoded.split('\n').map((character, index) => [character, all[index]!]),
  );
  table.set('\n', [0x0a]);
  tables.set(encoding, table);
  return table;
}

function inEncoding(text: string, encoding: string): Buffer {
  const table = tableOf(encoding);
  return Buffer.from(Array.from(text, (character) => table.get(character) ?? assert.fail(character)).flat());
}

// The first test: the detector writes each warning once.
void test('bytes beyond ASCII in markup alone give no text to detect from, and write no warning', async (t) => {
  const warn = t.mock.method(console, 'warn', () => undefined);
  const bytes = Buffer.from('<!doctype html><p title="caf\xe9">Nothing but English</p>', 'latin1');
  assert.match((await decodeDocument(bytes, { label: undefined, isXml: false })).text, /title="café"/);
  assert.equal(warn.mock.callCount(), 0);
});

void test('a page or a plain text that declares no encoding is read by its letters', async () => {
  for (const [language, { text, encodings }] of Object.entries(FOREIGN_LINES)) {
    for (const encoding of encodings) {
      const html = `<!doctype html><title>${text}</title><nav>Home News About us</nav><h1>${text}</h1>${`<p>${text}</p>`.repeat(3)}`;
      for (const [type, source] of [
        ['text/html', html],
        ['text/plain', `${text}\n`.repeat(4)],
      ] as const) {
        const page = await decodeDocument(inEncoding(source, encoding), { label: undefined, isXml: false });
        assert.ok(
          page.text.includes(text),
          `${language} ${encoding} ${type}: ${page.charset} ${page.text.slice(0, 200)}`,
        );
      }
    }
  }
});

void test('Japanese in escape sequences is read too', async () => {
  const body = Buffer.concat([Buffer.from('<!doctype html><p>'), ISO_2022_JP_TEXT, Buffer.from('</p>')]);
  const { text } = await decodeDocument(body, { label: undefined, isXml: false });
  assert.equal(text, '<!doctype html><p>山の上の古い図書館</p>');
});

void test('a declaration that the bytes contradict does not count', async () => {
  const { text } = FOREIGN_LINES['ru']!;
  const page = (head: string): string =>
    `<!doctype html><head>${head}</head><h1>${text}</h1>${`<p>${text}</p>`.repeat(3)}`;
  const cases: [type: string, body: Buffer][] = [
    ['text/html; charset=utf-8', inEncoding(page(''), 'windows-1251')],
    ['text/html; charset=utf-8', inEncoding(page('<meta charset="windows-1251">'), 'windows-1251')],
    ['text/html', inEncoding(page('<meta charset="utf-8">'), 'koi8-r')],
    ['text/html; charset=iso-8859-1', Buffer.from(page(''))],
    ['text/html', Buffer.from(page('<meta charset="windows-1252">'))],
    ['text/html; charset=shift_jis', Buffer.from(page(''))],
    ["text/html; charset='windows-1251'", inEncoding(page(''), 'windows-1251')],
    ['text/html; charset=win-1251', inEncoding(page(''), 'windows-1251')],
    ['text/html', Buffer.from(page(''), 'utf16le')],
    ['text/html', Buffer.from(page(''), 'utf16le').swap16()],
    ['text/html', Buffer.concat([Buffer.from(page('')), Buffer.from([0xff, 0xe9])])],
    ['text/html; charset=utf-8', Buffer.concat([Buffer.from([0xe9, 0x20]), Buffer.from(page(''))])],
  ];
  for (const [index, [type, body]] of cases.entries()) {
    const { charset: label } = readContentType(type);
    const decoded = await decodeDocument(body, { label, isXml: false });
    assert.ok(decoded.text.includes(text), `${index} ${type}: ${decoded.charset} ${decoded.text.slice(0, 200)}`);
  }
});

void test('a few characters that could be UTF-8 do not outweigh a declaration', async () => {
  const decoded = await decodeDocument(inEncoding('<p>联通</p>', 'gbk'), { label: 'gbk', isXml: false });
  assert.deepEqual(decoded, { text: '<p>联通</p>', charset: 'gbk' });
});

void test('pages of markup that never ends are read in linear time, whatever their letters', async () => {
  const body = Buffer.concat([
    Buffer.from('<script '.repeat(100_000)),
    Buffer.from('<!--<a '.repeat(80_000)),
    Buffer.from([0xe9]),
  ]);
  const before = process.cpuUsage();
  await decodeDocument(body, { label: undefined, isXml: false });
  const { user } = process.cpuUsage(before);
  assert.ok(user < 2e6, `${user / 1e6} s`);
});
