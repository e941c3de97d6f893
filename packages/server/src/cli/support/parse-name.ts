import { nameSchema } from '@winnow/contract';

export function parseName(value: string): string {
  const parsed = nameSchema.safeParse(value);
  if (!parsed.success) throw new Error(parsed.error.issues[0]?.message ?? 'is not a name');
  return parsed.data;
}
