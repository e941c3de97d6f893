import dgram from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** What a name server says to a name: the addresses for this question, counted from 0. */
export type Answer = (question: number) => readonly string[];

export interface DnsServer {
  /** `127.0.0.1:port`, as name servers are configured. */
  readonly address: string;
  /** Questions that were asked, by name. */
  readonly questions: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

const TYPE_A = 1;
const TYPE_AAAA = 28;
const NAME_ERROR = 3;

/**
 * A name server on loopback that says what it is told to: names are looked up exactly, then as `*.` and
 * their last label. Everything else does not exist. TTLs are 0.
 */
export async function startDnsServer(names: Readonly<Record<string, Answer>>): Promise<DnsServer> {
  const socket = dgram.createSocket('udp4');
  const questions = new Map<string, number>();
  socket.on('message', (query, peer) => {
    const { name, type, end } = readQuestion(query);
    const answer = names[name] ?? names[`*.${name.split('.').at(-1)}`];
    const asked = questions.get(`${name}/${type}`) ?? 0;
    questions.set(`${name}/${type}`, asked + 1);
    const addresses = answer?.(asked).filter((address) => isIPv6(address) === (type === TYPE_AAAA)) ?? [];
    const known = type === TYPE_A || type === TYPE_AAAA ? addresses : [];
    socket.send(writeAnswer(query.subarray(0, end), known, answer === undefined), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
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

function writeAnswer(question: Buffer, addresses: readonly string[], isUnknown: boolean): Buffer {
  const header = Buffer.from(question);
  header.writeUInt16BE(0x8180 | (isUnknown ? NAME_ERROR : 0), 2);
  header.writeUInt16BE(addresses.length, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  return Buffer.concat([header, ...addresses.map(writeRecord)]);
}

function writeRecord(address: string): Buffer {
  const data = isIPv6(address) ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number));
  const record = Buffer.alloc(12);
  // A pointer to the name of the question, which begins at byte 12.
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(data.length === 16 ? TYPE_AAAA : TYPE_A, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt16BE(data.length, 10);
  return Buffer.concat([record, data]);
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
