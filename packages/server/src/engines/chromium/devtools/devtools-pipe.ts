import type { Readable, Writable } from 'node:stream';
import type { DevtoolsTransport } from './devtools-connection.ts';

/** `--remote-debugging-pipe`: JSON messages ending in a zero byte. The browser ends when the pipe closes. */
export function createPipeTransport(commands: Writable, answers: Readable): DevtoolsTransport {
  let onMessage: (message: string) => void = () => {};
  let onClose: () => void = () => {};
  let partial: Buffer[] = [];
  answers.on('data', (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end >= 0; end = chunk.indexOf(0, start)) {
      const last = chunk.subarray(start, end);
      const message = partial.length === 0 ? last : Buffer.concat([...partial, last]);
      partial = [];
      start = end + 1;
      onMessage(message.toString('utf8'));
    }
    if (start < chunk.length) partial.push(chunk.subarray(start));
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
