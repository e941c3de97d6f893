/** `@winnow/extract/parsing`: the extractor's parser, for other trees. */
export { BoundedParser } from './tree/parse/bounded-parser.ts';
