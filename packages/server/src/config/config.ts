/** Reads the environment once into a frozen object. Nothing else reads `process.env`. */
import path from 'node:path';
import { suggestName } from '@winnow/contract';
import { CONFIG_FIELDS, type Config, type ConfigField } from './config-fields.ts';
import { readRegularFile } from './regular-file.ts';
import { messageOf } from '../domain/shared/errors.ts';

export type { Config } from './config-fields.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

const MAX_SECRET_BYTES = 64 * 1024;

/** One line per fault. */
export class ConfigError extends Error {
  readonly title: string = 'the configuration is not valid:';
  readonly faults: readonly string[];

  /** @param written faults; passwords in URLs are masked */
  constructor(written: readonly string[]) {
    const faults = written.map((fault) => fault.replace(/\/\/[^/\s"]*@/g, '//…@'));
    super(`the configuration is not valid:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const PREFIX = 'WINNOW_';

/** Read by clients of the service, so not a mistake. */
const CLIENT_NAMES = new Set(['WINNOW_API_KEY', 'WINNOW_PROJECT_ID']);

/** @throws {ConfigError} naming every unknown `WINNOW_*` name and every invalid value */
export function readConfig(environment: Environment): Config {
  const faults: string[] = findUnknownNames(environment);
  const entries = Object.entries(CONFIG_FIELDS).map(([name, field]) => {
    try {
      return [name, readField(field, environment)];
    } catch (error) {
      faults.push(messageOf(error));
      return [name, undefined];
    }
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(Object.fromEntries(entries) as unknown as Config);
}

function findUnknownNames(environment: Environment): string[] {
  const known = new Set(Object.values(CONFIG_FIELDS).flatMap(namesOf));
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !known.has(name) && !CLIENT_NAMES.has(name))
    .map((name) => `${name}: unknown name${suggest(name, [...known])}`);
}

function namesOf(field: ConfigField): string[] {
  const names = [field.env, ...(field.aliases ?? [])];
  return field.secret === true ? names.flatMap((name) => [name, `${name}_FILE`]) : names;
}

/** The field's own name wins; empty values count as unset. */
function readField(field: ConfigField, environment: Environment): unknown {
  for (const name of [field.env, ...(field.aliases ?? [])]) {
    const text = readText(name, field.secret === true, environment);
    if (text === undefined) continue;
    try {
      return field.parse(text);
    } catch (error) {
      const reason = messageOf(error);
      // The variable that was set.
      const place = environment[name]?.trim() ? name : `${name}_FILE`;
      const quoted = field.secret === true ? '' : `, not "${text.slice(0, 100)}"`;
      throw new Error(`${place}: ${reason}${quoted}`, { cause: error });
    }
  }
  return field.default === null ? null : field.parse(field.default);
}

function readText(name: string, secret: boolean, environment: Environment): string | undefined {
  const text = environment[name]?.trim();
  const file = secret ? environment[`${name}_FILE`]?.trim() : undefined;
  if (!file) return text === '' ? undefined : text;
  if (text) throw new Error(`${name} and ${name}_FILE: only one of the two may be set`);
  try {
    return readRegularFile(file, MAX_SECRET_BYTES).toString('utf8').trim();
  } catch (error) {
    throw new Error(`${name}_FILE: ${messageOf(error)}`, { cause: error });
  }
}

function suggest(name: string, known: readonly string[]): string {
  const meant = suggestName(name, known);
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}

export function resolveDataDir(config: Config): string {
  return path.resolve(config.dataDir);
}

/** Returns the path of a public address without a trailing slash. */
export function basePathOf(baseUrl: string): string {
  return new URL(baseUrl).pathname.replace(/(?<!\/)\/+$/, '');
}

/** Returns bytes; undefined: unlimited. The default exceeds the limit of all snapshots. */
export function projectStorageQuota({ projectStorageQuotaBytes, retentionBytes }: Config): number | undefined {
  const bytes = projectStorageQuotaBytes ?? 2 * retentionBytes;
  return bytes === 0 ? undefined : bytes;
}

/** Returns the age at which finished batches are removed, in milliseconds. */
export function batchRetentionAge({ batchRetentionAgeMs, retentionAgeMs }: Config): number {
  return batchRetentionAgeMs ?? retentionAgeMs;
}

export function startsBrowsers({ chromiumPath, cdpForAll, cdpUrls }: Config): boolean {
  return chromiumPath !== 'none' && !(cdpForAll && cdpUrls.length > 0);
}

/**
 * Returns the configuration for captures of the service's own page on loopback: without proxies, and without what refers
 * to them.
 */
export function withOnlyOwnPage(config: Config, target: string): Config {
  return {
    ...config,
    egressAllow: [target],
    egressDeny: [],
    projectEgress: new Map(),
    upstreamProxy: null,
    upstreamProxies: new Map(),
    upstreamBypass: [],
    requestProxies: [],
  };
}
