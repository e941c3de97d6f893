import type { Duplex } from 'node:stream';

/** As in browsers; a longer head is passed on as it is. */
const MAX_HEAD_BYTES = 65_536;
const PROTOCOL = 'HTTP/';
const CONTINUE = /^HTTP\/1\.[01] 100\b/;
const LENGTH = /^content-length:/i;
const CHUNKED = /^transfer-encoding:[ \t]*chunked\s*$/i;
/** Between the name of a header and its colon. */
const SPACE_AFTER_NAME = /^([!#$%&'*+.^_`|~\w-]+)[ \t]+:/;
const NAMED = /^[!#$%&'*+.^_`|~\w-]+:/;
/** A value that goes on in the next line. */
const FOLD = /\r?\n[ \t]+/g;

/**
 * Repairs the first head that a connection receives, where browsers are more tolerant than the parsers of Node: a `100
 * Continue` that nobody asked for is skipped, lines may end without a carriage return or go on in the next line, spaces
 * between a name and its colon are removed (RFC 9112, 5.1), lines without a name are dropped, several equal
 * `Content-Length` count as one, and beside `Transfer-Encoding: chunked` none counts (6.3). Unequal ones stay, and
 * are refused. Call it before the first request.
 */
export function repairFirstHead<T extends Duplex>(socket: T): T {
  const head = new FirstHead();
  const push = socket.push.bind(socket);
  Object.defineProperty(socket, 'push', {
    configurable: true,
    value: (chunk: Buffer | null, encoding?: BufferEncoding): boolean => {
      if (head.isOver) return push(chunk, encoding);
      const repaired = chunk === null ? head.end() : head.take(chunk);
      if (repaired.length > 0 && !push(repaired)) return chunk === null ? push(null) : false;
      return chunk === null ? push(null) : true;
    },
  });
  return socket;
}

class FirstHead {
  isOver = false;
  /** Only for a head in several chunks. */
  #held: Buffer | undefined;
  #length = 0;

  /** Returns what may be read of the bytes so far. */
  take(chunk: Buffer): Buffer {
    const from = Math.max(0, this.#length - 3);
    const bytes = this.#hold(chunk);
    if (bytes === undefined) return Buffer.concat([this.end(), chunk]);
    const start = bytes.toString('latin1', 0, PROTOCOL.length);
    if (!PROTOCOL.startsWith(start)) return this.#release(bytes);
    const end = findEnd(bytes, from);
    if (end === -1) return Buffer.alloc(0);
    const text = bytes.toString('latin1', 0, end);
    const rest = bytes.subarray(end);
    if (!CONTINUE.test(text)) return this.#release(Buffer.concat([Buffer.from(repairLines(text), 'latin1'), rest]));
    this.#length = 0;
    this.#held = undefined;
    return rest.length === 0 ? rest : this.take(rest);
  }

  /** Returns what is left when the connection ends. */
  end(): Buffer {
    return this.#release(this.#held?.subarray(0, this.#length) ?? Buffer.alloc(0));
  }

  /** Returns all bytes so far; undefined if they are too many. */
  #hold(chunk: Buffer): Buffer | undefined {
    if (this.#length === 0 && findEnd(chunk, 0) !== -1) return chunk;
    if (this.#length + chunk.length > MAX_HEAD_BYTES) return undefined;
    this.#held ??= Buffer.alloc(MAX_HEAD_BYTES);
    chunk.copy(this.#held, this.#length);
    this.#length += chunk.length;
    return this.#held.subarray(0, this.#length);
  }

  #release(bytes: Buffer): Buffer {
    this.isOver = true;
    this.#held = undefined;
    return bytes;
  }
}

/** Returns the position after the empty line that ends a head; -1 without one. */
function findEnd(bytes: Buffer, from: number): number {
  const ends = ['\n\r\n', '\n\n'].flatMap((mark) => {
    const at = bytes.indexOf(mark, from, 'latin1');
    return at === -1 ? [] : [at + mark.length];
  });
  return ends.length === 0 ? -1 : Math.min(...ends);
}

function repairLines(head: string): string {
  const [status = '', ...sent] = head.replace(FOLD, ' ').split(/\r?\n/);
  const lines = sent.map((line) => line.replace(SPACE_AFTER_NAME, '$1:')).filter((line) => NAMED.test(line));
  const stated = lines.filter((line) => LENGTH.test(line));
  const others = lines.filter((line) => !LENGTH.test(line));
  const isChunked = others.some((line) => CHUNKED.test(line));
  const values = stated.flatMap((line) => line.replace(LENGTH, '').split(',')).map((value) => value.trim());
  const lengths = isChunked ? [] : [...new Set(values)];
  const repaired =
    lengths.length === values.length ? lines : [...lengths.map((length) => `Content-Length: ${length}`), ...others];
  return [status, ...repaired, '', ''].join('\r\n');
}
