import { closeSync, constants, fstatSync, openSync, readSync, statfsSync, statSync, type Stats } from 'node:fs';
import { formatBytes } from '../domain/shared/format-bytes.ts';

/** Never waits for a writer, and never makes a terminal the controlling one. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Magic numbers of file systems whose files are interfaces of the kernel (statfs(2)): procfs, sysfs, debugfs, tracefs. */
const KERNEL_FILES: ReadonlySet<number> = new Set([0x9fa0, 0x62656572, 0x64626720, 0x74726163]);

/** A file that a user named and that is not read, with the reason as message. */
export class UnreadableFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnreadableFileError';
  }
}

/**
 * Opens a file that a user named and returns its descriptor and size. Follows links; refuses all but regular files,
 * because pipes and devices may wait, never end or do something.
 * @throws {UnreadableFileError} naming the file and what it is
 */
export function openRegularFile(file: string): { readonly descriptor: number; readonly bytes: number } {
  let descriptor: number | undefined;
  try {
    // Before opening, which has effects on some devices.
    requireRegular(file, statSync(file));
    if (process.platform === 'linux' && KERNEL_FILES.has(statfsSync(file).type))
      throw new UnreadableFileError(`${file} is a file of the kernel: only stored files are read`);
    descriptor = openSync(file, FLAGS);
    const found = fstatSync(descriptor);
    requireRegular(file, found);
    return { descriptor, bytes: found.size };
  } catch (error) {
    if (descriptor !== undefined) closeSync(descriptor);
    if (error instanceof UnreadableFileError) throw error;
    throw new UnreadableFileError(describeFailure(file, error), { cause: error });
  }
}

/**
 * Reads a file that a user named; see {@link openRegularFile}.
 * @param limit the setting that bounds the size, for the message
 * @throws {UnreadableFileError} also for a file of more than `maxBytes`
 */
export function readRegularFile(file: string, maxBytes: number, limit?: string): Buffer<ArrayBuffer> {
  const { descriptor, bytes } = openRegularFile(file);
  try {
    if (bytes > maxBytes)
      throw new UnreadableFileError(
        `${file} is larger than ${formatBytes(maxBytes)}${limit === undefined ? '' : ` (${limit})`}`,
      );
    const content = Buffer.alloc(bytes);
    let length = 0;
    while (length < bytes) {
      const got = readSync(descriptor, content, length, bytes - length, null);
      if (got === 0) break;
      length += got;
    }
    return content.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}

/** Names what a path is if it is not a regular file: "a folder", "a named pipe". */
export function describeKind(found: Stats): string | undefined {
  if (found.isFile()) return undefined;
  if (found.isDirectory()) return 'a folder';
  if (found.isFIFO()) return 'a named pipe';
  if (found.isSocket()) return 'a socket';
  if (found.isSymbolicLink()) return 'a symbolic link';
  return 'a device';
}

function requireRegular(file: string, found: Stats): void {
  const kind = describeKind(found);
  if (kind !== undefined) throw new UnreadableFileError(`${file} is ${kind}`);
}

function describeFailure(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return `no such file: ${file}`;
  if (code === 'EACCES') return `no permission to read ${file}`;
  return `${file} cannot be read (${String(code ?? error)})`;
}
