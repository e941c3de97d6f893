import type { DevtoolsTransport } from './devtools-connection.ts';

/** @throws {Error} if no connection opens in time */
export async function openSocketTransport(url: string, timeoutMs: number): Promise<DevtoolsTransport> {
  const socket = new WebSocket(url);
  const opened = Promise.withResolvers<void>();
  const refuse = (): void => opened.reject(new Error('no WebSocket connection'));
  const timer = setTimeout(refuse, timeoutMs);
  socket.addEventListener('open', () => opened.resolve(), { once: true });
  socket.addEventListener('error', refuse);
  socket.addEventListener('close', refuse);
  try {
    await opened.promise;
  } catch (error) {
    socket.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  return {
    send: (message) => socket.send(message),
    close: () => socket.close(),
    onMessage: (listener) => socket.addEventListener('message', (event) => listener(String(event.data))),
    onClose: (listener) => socket.addEventListener('close', () => listener()),
  };
}
