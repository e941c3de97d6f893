import { parentPort, workerData } from 'node:worker_threads';
import { scorePagesHere } from './extract-pages.ts';

const { folder, ids }: { folder: string; ids: string[] } = workerData;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has no origin
parentPort?.postMessage(scorePagesHere(folder, ids));
