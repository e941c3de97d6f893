import { useSyncExternalStore } from 'react';

const KEY = 'winnow-project';
const listeners = new Set<() => void>();

export function useLastProject(): string | null {
  return useSyncExternalStore(subscribe, readLastProject);
}

export function rememberProject(id: string): void {
  if (readLastProject() === id) return;
  localStorage.setItem(KEY, id);
  for (const listener of listeners) listener();
}

function readLastProject(): string | null {
  return localStorage.getItem(KEY);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
