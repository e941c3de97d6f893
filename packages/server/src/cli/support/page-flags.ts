import { PAGE_OPTIONS, pageOptionsSchema, validate } from '@winnow/contract';
import type { OptionFacts, OptionFlag } from '@winnow/contract';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import { readPageOptions } from '../../domain/request-options/page-options.ts';
import type { PageOptions } from '../../domain/request-options/page-options.ts';
import { CommandError } from './cli-io.ts';

export type Pair = readonly [name: string, value: string];

/** The values of the flags that {@link addPageFlags} adds, by commander's names. */
export type PageFlags = object;

interface FlagRow {
  readonly name: string;
  readonly facts: OptionFacts;
  readonly flag: OptionFlag;
}

const ROWS: readonly FlagRow[] = Object.entries<OptionFacts>(PAGE_OPTIONS).flatMap(([name, facts]) =>
  facts.flag === undefined ? [] : [{ name, facts, flag: facts.flag }],
);

/** Adds the capture flags and the selectors of elements. */
export function addPageFlags(command: Command): Command {
  return addFlags(command, ROWS);
}

export function addCaptureFlags(command: Command): Command {
  return addFlags(
    command,
    ROWS.filter(({ facts }) => facts.selectsElements !== true),
  );
}

function addFlags(command: Command, rows: readonly FlagRow[]): Command {
  for (const { flag } of rows) command.addOption(toOption(flag));
  return command;
}

function toOption({ syntax, help, choices, separator }: OptionFlag): Option {
  const option = new Option(syntax, help);
  if (choices !== undefined) option.choices(choices);
  if (separator !== undefined) option.argParser(collect(separator));
  return option;
}

/** Returns the given capture flags, as on the command line; they have no effect on pages that are not fetched. */
export function listGivenFlags(flags: PageFlags): string[] {
  return ROWS.filter(({ facts, flag }) => facts.selectsElements !== true && valueOf(flags, flag) !== undefined).map(
    ({ flag }) => toOption(flag).name(),
  );
}

function valueOf(flags: PageFlags, flag: OptionFlag): unknown {
  return (flags as Readonly<Record<string, unknown>>)[toOption(flag).attributeName()];
}

/** Reads a flag that may be repeated: a name, the separator and a value. */
export function collect(separator: string): (written: string, before?: readonly Pair[]) => Pair[] {
  return (written, before = []) => {
    const at = written.indexOf(separator);
    if (at < 1) throw new InvalidArgumentError(`It must be a name, "${separator}" and a value.`);
    return [...before, [written.slice(0, at).trim(), written.slice(at + 1).trim()]];
  };
}

/**
 * @param more options that have no flag of their own
 * @throws {CommandError} naming the invalid option
 */
export function readPageFlags(flags: PageFlags, more: object, config: Config): PageOptions {
  const ofFlags = ROWS.map(({ name, flag }) => [name, toValue(name, valueOf(flags, flag))] as const);
  const given = [...ofFlags, ...Object.entries(more)].filter(([, value]) => value !== undefined);
  const schema = pageOptionsSchema({ engineFamily: config.engineFamily }, { description: 'Time limit.' });
  const checked = validate(z.object({ options: schema }), { options: Object.fromEntries(given) });
  if (!checked.ok) throw new CommandError(checked.message, { exitCode: 2 });
  return readPageOptions(checked.value.options, config.engineFamily);
}

function toValue(name: string, value: unknown): unknown {
  if (name === 'headers' && Array.isArray(value)) return Object.fromEntries(value as Pair[]);
  if (name === 'cookies' && Array.isArray(value))
    return (value as Pair[]).map(([cookie, text]) => ({ name: cookie, value: text }));
  if (name === 'scroll' && typeof value === 'string') {
    const [steps, items] = value.split(',').map(Number);
    return { max_steps: steps, max_items: items };
  }
  return name === 'wait_for' && typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
}
