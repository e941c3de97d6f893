import {
  CHUNK_LIMITS,
  FAVORS,
  HIDDEN_TEXTS,
  MARKDOWN_IMAGES,
  MARKDOWN_LINKS,
  fieldsField,
  validate,
  PAGE_OPTIONS,
  pageOptionsSchema,
  nameSchema,
  enginePreferenceNames,
  toEnginePreference,
} from '@winnow/contract';
import type { Favor, HiddenText, OptionFacts, OptionFlag, EnginePreference } from '@winnow/contract';
import type { MarkdownOptions } from '@winnow/extract';
import { Option, InvalidArgumentError, type Command } from 'commander';
import type { RequestedField } from '@winnow/extract/templates';
import { z } from 'zod';
import { integer } from '../../config/config-parsers.ts';
import type { ContentOptions } from '../../domain/request-options/content-options.ts';
import { readRegularFile, UnreadableFileError } from '../../config/regular-file.ts';
import { checkFields } from '../../domain/extraction/extraction-ports.ts';
import { CommandError } from './cli-io.ts';
import type { Config } from '../../config/config.ts';
import { readPageOptions, type PageOptions } from '../../domain/request-options/page-options.ts';
import { messageOf } from '../../domain/shared/errors.ts';

export interface ContentFlags {
  readonly favor: Favor;
  readonly hiddenText: HiddenText;
  readonly links: NonNullable<MarkdownOptions['links']>;
  readonly images: NonNullable<MarkdownOptions['images']>;
  readonly title?: true;
  readonly chunks?: number;
}

export function addContentFlags(command: Command): Command {
  const { min, max } = CHUNK_LIMITS;
  return command
    .addOption(
      new Option('--favor <what>', 'precision: main text without other content; recall: complete main text')
        .choices(FAVORS)
        .default('balanced'),
    )
    .addOption(new Option('--hidden-text <what>', 'keep or drop hidden text').choices(HIDDEN_TEXTS).default('drop'))
    .addOption(
      new Option('--links <what>', 'links in Markdown: with addresses, text alone, addresses at the end')
        .choices(MARKDOWN_LINKS)
        .default('keep'),
    )
    .addOption(
      new Option('--images <what>', 'images in Markdown: with addresses, alternative text, left out')
        .choices(MARKDOWN_IMAGES)
        .default('keep'),
    )
    .option('--title', "begin the Markdown with the page's title")
    .option(
      '--chunks <characters>',
      'add result.chunks: the Markdown divided at its headings into texts of at most this many characters',
      parseFlag(integer(min, max)),
    );
}

export function readContentFlags(flags: ContentFlags): Omit<ContentOptions, 'formats'> {
  const { favor, hiddenText, links, images, title = false, chunks } = flags;
  return {
    favor,
    hidden_text: hiddenText,
    markdown: { links, images, title },
    chunks: chunks === undefined ? undefined : { max_characters: chunks },
  };
}

/** A list of more fields than a request may have. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

export interface FieldFlags {
  readonly field?: readonly Pair[];
  readonly fields?: string;
}

export function addFieldFlags(command: Command): Command {
  return command
    .option(
      '--field <name=selector>',
      'add a value to result.fields: its name and a selector (CSS, XPath or a path in JSON-LD); may be repeated',
      collect('='),
    )
    .option('--fields <file>', 'add the values listed in a JSON file, an array like extract.fields');
}

/** @throws {CommandError} naming the invalid field */
export async function readFieldFlags({ field = [], fields: file }: FieldFlags): Promise<RequestedField[]> {
  const own = field.map(([name, selector]) => ({ name, selector }));
  const listed = [...own, ...(file === undefined ? [] : readList(file))];
  const checked = validate(z.object({ fields: fieldsField }), { fields: listed });
  if (!checked.ok) throw new CommandError(checked.message, { exitCode: 2 });
  const { fields = [] } = checked.value;
  await checkFields(fields, 'fields').catch((error: unknown) => {
    throw new CommandError(messageOf(error), { exitCode: 2 });
  });
  return fields;
}

function readList(file: string): unknown[] {
  const fault = (reason: string): CommandError => new CommandError(`--fields: ${file} ${reason}`, { exitCode: 2 });
  let list: unknown;
  try {
    list = JSON.parse(readRegularFile(file, MAX_LIST_BYTES).toString('utf8'));
  } catch (error) {
    if (error instanceof UnreadableFileError)
      throw new CommandError(`--fields: ${error.message}`, { exitCode: 2, cause: error });
    throw fault(`is not JSON: ${messageOf(error)}`);
  }
  if (!Array.isArray(list)) throw fault('is not a list of fields');
  return list as unknown[];
}

type Pair = readonly [name: string, value: string];

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
function collect(separator: string): (written: string, before?: readonly Pair[]) => Pair[] {
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

export function parseFlag<T>(parse: (value: string) => T): (value: string) => T {
  return (value) => {
    try {
      return parse(value);
    } catch (error) {
      throw new InvalidArgumentError(`It ${messageOf(error)}.`);
    }
  };
}

export function parseName(value: string): string {
  const parsed = nameSchema.safeParse(value);
  if (!parsed.success) throw new Error(parsed.error.issues[0]?.message ?? 'is not a name');
  return parsed.data;
}

/** Parses `--engine`; also accepts the deployment's engine names. */
export function readEngine(name: string, config: Config): EnginePreference {
  const preference = toEnginePreference(name, config.engineFamily);
  if (preference !== undefined) return preference;
  const names = enginePreferenceNames(config.engineFamily).join(', ');
  throw new CommandError(`--engine: ${name} is none of ${names}`, { exitCode: 2 });
}
