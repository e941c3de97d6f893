import { InvalidArgumentError } from 'commander';

export function parseFlag<T>(parse: (value: string) => T): (value: string) => T {
  return (value) => {
    try {
      return parse(value);
    } catch (error) {
      throw new InvalidArgumentError(`It ${error instanceof Error ? error.message : String(error)}.`);
    }
  };
}
