/** Returns one sentence per fault: which, where, and what to do. */
export function findRoomFaults(files: ReadonlyMap<string, string>, architecture: string): string[];
