/** Placeholder signature until the detector is chosen. */
export function detectLanguage(_text: string, _declared: readonly string[]): string | null {
  return null;
}
