/** Path of the public address, such as `/winnow`, from the page; empty at the root. */
export const basePath: string =
  document.querySelector<HTMLMetaElement>('meta[name="winnow-base-path"]')?.content.replace(/(?<!\/)\/+$/, '') ?? '';
