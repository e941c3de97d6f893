import type { Readable, Writable } from 'node:stream';
import { ByteCollector } from '../../../domain/shared/byte-collector.ts';
import type { DevtoolsTransport } from './devtools-connection.ts';

/** V8 has no strings above 512 Mi characters, and pages decide how large an answer is. */
const MAX_MESSAGE = 128 * 1024 * 1024;

/**
 * `--remote-debugging-pipe`: JSON messages ending in a zero byte. The browser ends when the pipe closes. An answer above
 * the limit becomes an error of its command; a larger event is dropped.
 */
export function createPipeTransport(
  commands: Writable,
  answers: Readable,
  maxMessageBytes: number = MAX_MESSAGE,
): DevtoolsTransport {
  let onMessage: (message: string) => void = () => {};
  let onClose: () => void = () => {};
  const partial = new ByteCollector();
  let dropped = '';
  const collect = (part: Buffer): void => {
    if (dropped !== '') return;
    partial.add(part);
    if (partial.length > maxMessageBytes) dropped = partial.take().toString('latin1', 0, 100);
  };
  const complete = (last: Buffer): string | undefined => {
    if (partial.length === 0 && dropped === '' && last.length <= maxMessageBytes) return last.toString('utf8');
    collect(last);
    const message = dropped === '' ? partial.take().toString('utf8') : tooLarge(dropped);
    dropped = '';
    return message;
  };
  answers.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const message = complete(chunk.subarray(start, end));
      start = end + 1;
      if (message !== undefined) onMessage(message);
    }
    if (start < chunk.length) collect(chunk.subarray(start));
  });
  const close = (): void => onClose();
  for (const stream of [commands, answers]) {
    stream.on('error', close);
    stream.on('close', close);
  }
  let isCorked = false;
  const uncork = (): void => {
    isCorked = false;
    commands.uncork();
  };
  return {
    // Batches messages: each write wakes the browser.
    send: (message) => {
      if (!isCorked) {
        isCorked = true;
        commands.cork();
        queueMicrotask(uncork);
      }
      commands.write(`${message}\0`);
    },
    close() {
      commands.destroy();
      answers.destroy();
    },
    onMessage: (listener) => (onMessage = listener),
    onClose: (listener) => (onClose = listener),
  };
}

/** Returns the error for a command from the start of its answer; undefined for an event. */
function tooLarge(start: string): string | undefined {
  const id = /^\{"id":(\d+),/.exec(start)?.[1];
  return id && `{"id":${id},"error":{"message":"the answer is too large"}}`;
}
