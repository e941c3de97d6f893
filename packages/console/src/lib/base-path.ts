/** Path of the service's public address, such as `/winnow`, as the service wrote it into the page; empty at the root. */
export const basePath: string =
  document.querySelector<HTMLMetaElement>('meta[name="winnow-base-path"]')?.content.replace(/(?<!\/)\/+$/, '') ?? '';
