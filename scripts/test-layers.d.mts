export interface Layer {
  readonly name: string;
  readonly needs: string;
}
export const LAYERS: readonly Layer[];
export function findTests(root: string): Map<string, string[]>;
export function sortByLayer(files: readonly string[]): Map<string, string[]>;
