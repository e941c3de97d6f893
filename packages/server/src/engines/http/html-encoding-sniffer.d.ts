declare module 'html-encoding-sniffer' {
  interface Options {
    readonly xml?: boolean;
    readonly transportLayerEncodingLabel?: string;
    readonly defaultEncoding?: string;
    /** Default 1024. */
    readonly maxPrescanBytes?: number;
  }
  const sniffEncoding: (bytes: Uint8Array, options?: Options) => string;
  export default sniffEncoding;
}
