import { useEffect } from 'react';

/** The pages that are being edited: as a rule one or none. */
const editors = new Set<object>();

/** While `isUnsaved`, leaving the page asks. */
export function useUnsavedWork(isUnsaved: boolean): void {
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const editor = {};
    editors.add(editor);
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => {
      editors.delete(editor);
      window.removeEventListener('beforeunload', ask);
    };
  }, [isUnsaved]);
}

export function hasUnsavedWork(): boolean {
  return editors.size > 0;
}

/** Call it when the work is stored or given up, before the page goes on. */
export function forgetUnsavedWork(): void {
  editors.clear();
}
