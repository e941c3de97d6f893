declare module 'html-encoding-sniffer' {
  interface Options {
    readonly xml?: boolean;
    /** The charset that the Content-Type header names. */
    readonly transportLayerEncodingLabel?: string;
    /** Given back as it is when nothing else decides. */
    readonly defaultEncoding?: string;
  }
  const sniffEncoding: (bytes: Uint8Array, options?: Options) => string;
  export default sniffEncoding;
}
