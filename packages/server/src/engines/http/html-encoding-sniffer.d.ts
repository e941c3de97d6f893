declare module 'html-encoding-sniffer' {
  interface Options {
    readonly xml?: boolean;
    /** The charset that the Content-Type header names. */
    readonly transportLayerEncodingLabel?: string;
    /** Given back as it is when nothing else decides. */
    readonly defaultEncoding?: string;
    /** Bytes in which a `<meta>` is looked for. Default 1024. */
    readonly maxPrescanBytes?: number;
  }
  const sniffEncoding: (bytes: Uint8Array, options?: Options) => string;
  export default sniffEncoding;
}
