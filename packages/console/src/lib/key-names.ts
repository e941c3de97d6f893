import type { LoggedRequestBody } from '@winnow/client';
import { useQuery } from '@tanstack/react-query';
import { admin } from './admin.ts';
import { useProject } from './project.tsx';

export const KEY_KINDS = [
  { value: 'project', label: 'Project key' },
  { value: 'key_only', label: 'Standalone key' },
] as const;

export type KeyKind = (typeof KEY_KINDS)[number]['value'];

export function useKeys() {
  const project = useProject();
  return useQuery({ queryKey: ['keys', project.id], queryFn: async () => (await admin.keys(project.id)).items });
}

/** Returns a function that names the sender of a request: its key, or the playground. */
export function useKeyNames(): (request: Pick<LoggedRequestBody, 'key_id' | 'source'>) => string {
  const { data } = useKeys();
  return ({ key_id: id, source }) =>
    source === 'console' ? 'Playground' : (data?.find((key) => key.id === id)?.name ?? id ?? '–');
}
