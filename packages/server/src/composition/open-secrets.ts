import { mkdirSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { resolveDataDir } from '../config/config.ts';
import type { Config } from '../config/config.ts';
import { readRegularFile } from '../config/regular-file.ts';
import { createSecretBox } from '../domain/shared/secrets.ts';
import type { SecretBox } from '../domain/shared/secrets.ts';

const KEY_FILE = 'secret.key';

/**
 * Opens the box with the configured key, or a key file created on demand. Undefined if nodes share a database without a
 * configured key: each would have its own.
 */
export function openSecrets(config: Config): SecretBox | undefined {
  const { secretKey } = config;
  if (secretKey !== null) return createSecretBox(() => secretKey);
  return config.databaseUrl === null ? createSecretBox(() => readKeyFile(resolveDataDir(config))) : undefined;
}

function readKeyFile(folder: string): Uint8Array {
  const file = path.join(folder, KEY_FILE);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(file, randomBytes(32), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readRegularFile(file, 1024);
}
