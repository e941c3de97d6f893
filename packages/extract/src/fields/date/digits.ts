/** First code points of decimal digits other than 0-9 (Unicode property Nd). */
const ZEROS = [
  0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0de6, 0x0e50,
  0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810, 0xff10,
];

const OTHER_DIGITS = /(?![0-9])\p{Nd}/gu;
const NON_LATIN_DIGIT = /(?![0-9])\p{Nd}/u;

export function toAsciiDigits(text: string): string {
  return NON_LATIN_DIGIT.test(text) ? text.replace(OTHER_DIGITS, toAsciiDigit) : text;
}

function toAsciiDigit(digit: string): string {
  const code = digit.codePointAt(0)!;
  const zero = ZEROS.findLast((first) => first <= code);
  return zero !== undefined && code - zero < 10 ? String(code - zero) : digit;
}

const HAN_DIGITS = '〇一二三四五六七八九';
const HAN_NUMBER = /(?<![〇一二三四五六七八九十零])[〇一二三四五六七八九十零]+(?=\s*[年月日號号])/g;

/** Converts Chinese numerals of years, months and days to 0-9: 二〇二四年五月十三日. */
export function replaceHanNumbers(text: string): string {
  return text.replace(HAN_NUMBER, (word) => {
    const plain = word.replace(/零/g, '〇');
    if (!plain.includes('十')) return Array.from(plain, (digit) => HAN_DIGITS.indexOf(digit)).join('');
    const [tens = '', ones = ''] = plain.split('十');
    return String((tens === '' ? 1 : HAN_DIGITS.indexOf(tens)) * 10 + (ones === '' ? 0 : HAN_DIGITS.indexOf(ones)));
  });
}
