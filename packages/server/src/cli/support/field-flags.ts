import { fieldsField, validate } from '@winnow/contract';
import type { RequestedField } from '@winnow/extract/templates';
import type { Command } from 'commander';
import { z } from 'zod';
import { readRegularFile, UnreadableFileError } from '../../config/regular-file.ts';
import { checkFields } from '../../domain/extraction/extraction-ports.ts';
import { CommandError } from './cli-io.ts';
import { collect } from './page-flags.ts';
import type { Pair } from './page-flags.ts';

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
    throw new CommandError(error instanceof Error ? error.message : String(error), { exitCode: 2 });
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
    throw fault(`is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!Array.isArray(list)) throw fault('is not a list of fields');
  return list as unknown[];
}
