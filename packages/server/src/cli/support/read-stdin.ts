import { formatBytes } from '../../domain/shared/format-bytes.ts';
import { CommandError } from './cli-io.ts';
import type { CliIo } from './cli-io.ts';

/**
 * Reads standard input to its end.
 * @param limit the setting that bounds the size, for the message
 * @throws {CommandError} for more than `maxBytes`
 */
export async function readStdin({ stdin }: CliIo, maxBytes: number, limit?: string): Promise<Buffer<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of stdin as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maxBytes)
      throw new CommandError(
        `standard input is larger than ${formatBytes(maxBytes)}${limit === undefined ? '' : ` (${limit})`}`,
      );
    parts.push(Buffer.from(part));
  }
  return Buffer.concat(parts);
}
