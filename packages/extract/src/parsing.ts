/** Parsing as the extractor does, for whoever needs another tree: `@winnow/extract/parsing`. */
export { BoundedParser } from './tree/parse/bounded-parser.ts';
