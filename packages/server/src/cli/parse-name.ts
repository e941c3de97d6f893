import { NAME_MAX_LENGTH } from '@winnow/contract';

/** The name of a project or a key, as the console takes it. */
export function parseName(value: string): string {
  const name = value.trim();
  if (name === '' || name.length > NAME_MAX_LENGTH) throw new Error(`must have 1 to ${NAME_MAX_LENGTH} characters`);
  return name;
}
