/** Path of the public address, such as `/winnow`, from a meta element; empty at the root. */
export const basePath: string =
  document.querySelector<HTMLMetaElement>('meta[name="winnow-base-path"]')?.content.replace(/(?<!\/)\/+$/, '') ?? '';
