export { extract } from './extract.ts';
export type {
  ContentFormat,
  Favor,
  Evidence,
  EvidenceField,
  Extraction,
  ExtractOptions,
  FieldEvidence,
  Image,
  Link,
  PageType,
} from './extraction.ts';
