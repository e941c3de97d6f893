import { InvalidArgumentError } from 'commander';

/** A configuration parser as the parser of an option's value. */
export function parseFlag<T>(parse: (value: string) => T): (value: string) => T {
  return (value) => {
    try {
      return parse(value);
    } catch (error) {
      throw new InvalidArgumentError(`It ${error instanceof Error ? error.message : String(error)}.`);
    }
  };
}
