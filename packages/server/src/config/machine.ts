import { availableParallelism, totalmem } from 'node:os';
import type { Config } from './config.ts';

export interface Machine {
  readonly cores: number;
  /** That this process may use: of the machine or of its container. */
  readonly memoryBytes: number;
}

const MIB = 1024 * 1024;

/** Of the memory: the rest is for the process itself, browsers and documents. */
const SHARE_OF_WORKERS = 0.5;

/** Code and idle heap of a process, beside the limit. */
const BYTES_PER_PROCESS = 96 * MIB;

const MAX_WORKER_BYTES = 768 * MIB;
const MIN_WORKER_BYTES = 64 * MIB;

/** Of the memory, for one worker: those of a small container have smaller limits. */
const SHARE_OF_ONE_WORKER = 0.25;

const MAX_CAPTURES = 3;

/** A browser, its pages and what else runs beside them. */
const BYTES_PER_CAPTURE = 1280 * MIB;

/** Reads the limit of the container, if there is one. Without a limit, Node reports more than the machine has. */
export function readMachine(): Machine {
  return {
    cores: availableParallelism(),
    memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
  };
}

export function workerMemoryBytes(config: Pick<Config, 'workerMemoryBytes'>, machine = readMachine()): number {
  const share = Math.floor(SHARE_OF_ONE_WORKER * machine.memoryBytes) - BYTES_PER_PROCESS;
  return config.workerMemoryBytes ?? Math.max(MIN_WORKER_BYTES, Math.min(MAX_WORKER_BYTES, share));
}

/** Returns one worker for each core, or fewer if their memory together would take too much of the machine's. */
export function workerThreadCount(
  config: Pick<Config, 'workerThreads' | 'workerMemoryBytes'>,
  machine = readMachine(),
): number {
  const bytes = workerMemoryBytes(config, machine) + BYTES_PER_PROCESS;
  const fitting = Math.floor((SHARE_OF_WORKERS * machine.memoryBytes) / bytes);
  return config.workerThreads ?? Math.max(1, Math.min(machine.cores, fitting));
}

export function browserConcurrency(config: Pick<Config, 'browserConcurrency'>, machine = readMachine()): number {
  const fitting = Math.floor(machine.memoryBytes / BYTES_PER_CAPTURE);
  return config.browserConcurrency ?? Math.max(1, Math.min(MAX_CAPTURES, fitting));
}
