import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const COLORS = 256;

interface Bitmap {
  readonly width: number;
  readonly height: number;
  /** Bytes a pixel: 3 or 4. */
  readonly depth: number;
  readonly pixels: Buffer;
}

/**
 * Reduces a screenshot to 256 colours and about a quarter of its bytes. Rarer colours, such as those at the
 * edges of letters, become the nearest of these.
 */
export function shrinkPng(png: Buffer): Buffer {
  const bitmap = decode(png);
  const { palette, indexes } = reduceColors(bitmap);
  const rows = Buffer.alloc((bitmap.width + 1) * bitmap.height);
  for (let y = 0; y < bitmap.height; y += 1) {
    indexes.copy(rows, y * (bitmap.width + 1) + 1, y * bitmap.width, (y + 1) * bitmap.width);
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(bitmap.width, 0);
  head.writeUInt32BE(bitmap.height, 4);
  // Eight bits a pixel, by palette.
  head.set([8, 3, 0, 0, 0], 8);
  return Buffer.concat([
    SIGNATURE,
    writeChunk('IHDR', head),
    writeChunk('PLTE', palette),
    writeChunk('IDAT', deflateSync(rows, { level: 9 })),
    writeChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Decodes PNGs as browsers write them: eight bits a channel, not interlaced. */
function decode(png: Buffer): Bitmap {
  const data: Buffer[] = [];
  let [width, height, depth] = [0, 0, 0];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const body = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
      depth = body[9] === 6 ? 4 : 3;
    }
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  return { width, height, depth, pixels: unfilter(inflateSync(Buffer.concat(data)), width * depth, height, depth) };
}

/** Undoes the filters of the rows, PNG specification section 9. */
function unfilter(raw: Buffer, stride: number, height: number, depth: number): Buffer {
  const pixels = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y += 1) {
    const filter = raw[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x += 1) {
      const at = y * stride + x;
      const left = x < depth ? 0 : (pixels[at - depth] ?? 0);
      const up = y === 0 ? 0 : (pixels[at - stride] ?? 0);
      const corner = y === 0 || x < depth ? 0 : (pixels[at - stride - depth] ?? 0);
      const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter] ?? 0;
      pixels[at] = (raw[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return pixels;
}

function paeth(left: number, up: number, corner: number): number {
  const [a, b, c] = [Math.abs(up - corner), Math.abs(left - corner), Math.abs(left + up - 2 * corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : corner;
}

function reduceColors({ width, height, depth, pixels }: Bitmap): { palette: Buffer; indexes: Buffer } {
  const counts = new Map<number, number>();
  const colorAt = (pixel: number): number => pixels.readUIntBE(pixel * depth, 3);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const color = colorAt(pixel);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  const kept = [...counts].toSorted((a, b) => b[1] - a[1]).slice(0, COLORS);
  const colors = kept.map(([color]) => color);
  const index = new Map(colors.map((color, place) => [color, place]));
  const indexes = Buffer.alloc(width * height);
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    const color = colorAt(pixel);
    let place = index.get(color);
    if (place === undefined) {
      place = findNearest(colors, color);
      index.set(color, place);
    }
    indexes[pixel] = place;
  }
  const palette = Buffer.alloc(colors.length * 3);
  for (const [place, color] of colors.entries()) palette.writeUIntBE(color, place * 3, 3);
  return { palette, indexes };
}

function findNearest(colors: readonly number[], color: number): number {
  let [best, distance] = [0, Number.POSITIVE_INFINITY];
  for (const [place, one] of colors.entries()) {
    const [red, green, blue] = [
      (one >> 16) - (color >> 16),
      ((one >> 8) & 255) - ((color >> 8) & 255),
      (one & 255) - (color & 255),
    ];
    const squared = red * red + green * green + blue * blue;
    if (squared < distance) [best, distance] = [place, squared];
  }
  return best;
}

function writeChunk(type: string, body: Buffer): Buffer {
  const chunk = Buffer.alloc(body.length + 12);
  chunk.writeUInt32BE(body.length, 0);
  chunk.write(type, 4, 'latin1');
  body.copy(chunk, 8);
  chunk.writeUInt32BE(crc32(chunk.subarray(4, body.length + 8)), body.length + 8);
  return chunk;
}
