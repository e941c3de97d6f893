import dgram from 'node:dgram';
import { once } from 'node:events';
import { isIP, isIPv6 } from 'node:net';

/**
 * Answer of a name server for one name: addresses, or other names as aliases (CNAME). `question` counts the
 * queries from 0. `silence` sends no answer, `failure` sends SERVFAIL.
 */
export type Answer = (question: number, type: number) => readonly string[] | 'silence' | 'failure';

export interface DnsServer {
  /** `127.0.0.1:port`, as name servers are configured. */
  readonly address: string;
  /** Numbers of queries, by `name/type`. */
  readonly questions: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_CNAME = 5;
export const TYPE_AAAA = 28;
const SERVER_FAILURE = 2;
const NAME_ERROR = 3;
const MAX_CHAIN = 8;

/**
 * Starts a name server on loopback. Names are looked up exactly, then as `*.` and their last label; others do
 * not exist. TTLs are 0. `port` 0 is any free port.
 */
export async function startDnsServer(names: Readonly<Record<string, Answer>>, port = 0): Promise<DnsServer> {
  const socket = dgram.createSocket('udp4');
  const questions = new Map<string, number>();
  const answerTo = (name: string): Answer | undefined => names[name] ?? names[`*.${name.split('.').at(-1)}`];
  /** Returns the records of a name, including those of its alias targets. */
  const recordsOf = (name: string, type: number, question: number, depth = 0): Buffer[] => {
    const reply = answerTo(name)?.(question, type) ?? [];
    return (typeof reply === 'string' ? [] : reply).flatMap((entry) => {
      if (isIP(entry) === 0) {
        const alias = writeRecord(name, TYPE_CNAME, writeName(entry));
        return depth < MAX_CHAIN ? [alias, ...recordsOf(entry, type, question, depth + 1)] : [alias];
      }
      if (isIPv6(entry)) return type === TYPE_AAAA ? [writeRecord(name, TYPE_AAAA, ipv6Bytes(entry))] : [];
      return type === TYPE_A ? [writeRecord(name, TYPE_A, Buffer.from(entry.split('.').map(Number)))] : [];
    });
  };
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    const question = questions.get(`${name}/${type}`) ?? 0;
    questions.set(`${name}/${type}`, question + 1);
    const reply = answerTo(name)?.(question, type);
    if (reply === 'silence') return;
    const code = reply === undefined ? NAME_ERROR : reply === 'failure' ? SERVER_FAILURE : 0;
    const records = recordsOf(name, type, question);
    socket.send(writeAnswer(query.subarray(0, end), records, code), peer.port, peer.address);
  });
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    async close() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

function readQuestion(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let position = 12;
  for (let length = query[position] ?? 0; length > 0; length = query[position] ?? 0) {
    labels.push(query.toString('latin1', position + 1, position + 1 + length));
    position += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(position + 1), end: position + 5 };
}

function writeAnswer(question: Buffer, records: readonly Buffer[], code: number): Buffer {
  const header = Buffer.from(question);
  header.writeUInt16BE(0x8180 | code, 2);
  header.writeUInt16BE(records.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  return Buffer.concat([header, ...records]);
}

function writeRecord(name: string, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(name), fields, data]);
}

function writeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from(label, 'latin1'));
  return Buffer.concat([...labels.flatMap((label) => [Buffer.of(label.length), label]), Buffer.of(0)]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = '', tail = ''] = address.split('::');
  const groups = (text: string): number[] => (text === '' ? [] : text.split(':').map((group) => parseInt(group, 16)));
  const [left, right] = [groups(head), groups(tail)];
  const middle = Array.from({ length: 8 - left.length - right.length }, () => 0);
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...left, ...middle, ...right].entries()) bytes.writeUInt16BE(group, index * 2);
  return bytes;
}
