export { extract } from './pipeline/extract.ts';
export type {
  Chunk,
  ChunkOptions,
  MarkdownOptions,
  ContentFormat,
  Favor,
  Evidence,
  EvidenceField,
  Extraction,
  ExtractOptions,
  HiddenText,
  FieldEvidence,
  Image,
  Link,
  PageType,
} from './types/extraction.ts';
export type { StatedData, StatedProduct, StatedRating } from './types/stated-data.ts';
export { LOADS_ON_SCROLL } from './warnings/find-continuation.ts';
export type { PageWarning, WarningCode } from './types/warnings.ts';
