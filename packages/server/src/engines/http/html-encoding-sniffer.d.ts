declare module 'html-encoding-sniffer' {
  interface Options {
    readonly xml?: boolean;
    readonly transportLayerEncodingLabel?: string;
    /** Returned if nothing else decides. */
    readonly defaultEncoding?: string;
    /** Bytes searched for `<meta>`. Default 1024. */
    readonly maxPrescanBytes?: number;
  }
  const sniffEncoding: (bytes: Uint8Array, options?: Options) => string;
  export default sniffEncoding;
}
