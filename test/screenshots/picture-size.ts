import assert from 'node:assert/strict';

/** Reads width and height from the header of a WebP picture (RFC 9649). */
export function webpSize(bytes: Buffer): { width: number; height: number } {
  assert.equal(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12), 'RIFFWEBP');
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  assert.equal(kind, 'VP8 ');
  return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
}

/** Reads width and height from the header of a PNG picture (RFC 2083). */
export function pngSize(bytes: Buffer): { width: number; height: number } {
  assert.equal(bytes.toString('latin1', 1, 4) + bytes.toString('latin1', 12, 16), 'PNGIHDR');
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
