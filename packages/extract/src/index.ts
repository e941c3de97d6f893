export { extract } from './extract.ts';
export type {
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
} from './extraction.ts';
