/** Runs commands in a pseudo-terminal, with `script` of Debian's bsdutils. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export const ROOT: string = path.join(import.meta.dirname, '..', '..');

/** Sent by a terminal's Ctrl-C. */
const INTERRUPT = '\u0003';

export interface Terminal {
  /** All output so far, including control sequences. */
  readonly raw: string;
  /** The same without control sequences, with `\n` as line end. */
  readonly screen: string;
  /** Resolves once the screen matches; rejects if the command ends first. */
  waitFor(pattern: RegExp): Promise<RegExpExecArray>;
  pressCtrlC(): void;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
}

export interface TerminalOptions {
  readonly columns: number;
  readonly environment: Readonly<Record<string, string>>;
  readonly folder?: string;
}

/** Returns false if `script` is not installed. */
export function hasTerminal(): boolean {
  return spawnSync('script', ['--version']).status === 0;
}

/** Starts a shell command in a new terminal. */
export function openTerminal(command: string, { columns, environment, folder = ROOT }: TerminalOptions): Terminal {
  const { NO_COLOR: _none, FORCE_COLOR: _force, CI: _ci, ...inherited } = process.env;
  const line = `stty cols ${columns} rows 24; exec ${command}`;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', line, '/dev/null'], {
    cwd: folder,
    env: { ...inherited, TERM: 'xterm-256color', SHELL: '/bin/sh', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let raw = '';
  let notify = Promise.withResolvers<void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    notify.resolve();
    notify = Promise.withResolvers();
  });
  const ended = once(child, 'close').then(([code]) => {
    notify.resolve();
    return code as number | null;
  });
  const readScreen = (): string => stripVTControlCharacters(raw).replaceAll('\r\n', '\n');
  return {
    get raw() {
      return raw;
    },
    get screen() {
      return readScreen();
    },
    waitFor: async (pattern) => {
      for (;;) {
        const printed = notify.promise;
        const isOver = child.stdout.readableEnded;
        const found = pattern.exec(readScreen());
        if (found) return found;
        if (isOver) throw new Error(`the command ended without ${String(pattern)}:\n${readScreen()}`);
        await printed;
      }
    },
    pressCtrlC: () => void child.stdin.write(INTERRUPT),
    ended,
  };
}

/** Runs a command to its end. */
export async function runInTerminal(
  command: string,
  options: TerminalOptions,
): Promise<{ readonly code: number | null; readonly screen: string; readonly raw: string }> {
  const terminal = openTerminal(command, options);
  const code = await terminal.ended;
  return { code, screen: terminal.screen, raw: terminal.raw };
}
