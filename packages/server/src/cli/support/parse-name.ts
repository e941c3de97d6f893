import { nameSchema } from '@winnow/contract';

/** The name of a project or a key, as the console takes it. */
export function parseName(value: string): string {
  const parsed = nameSchema.safeParse(value);
  if (!parsed.success) throw new Error(parsed.error.issues[0]?.message ?? 'is not a name');
  return parsed.data;
}
