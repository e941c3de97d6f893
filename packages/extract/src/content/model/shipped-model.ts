import { LIKELY_FEATURES } from '../features/likely-features.ts';
import { PAGE_FEATURES } from '../features/page-features.ts';
import { parseLexicon, type Lexicon } from '../words/lexicon.ts';
import { unpackWords, type WordLexicon } from '../blocks/word-lexicon.ts';
import type { PageType } from '../../types/extraction.ts';
import { PACKED } from './model-data.ts';
import { unpackModel, type TreeModel } from './tree-model.ts';

export const CONTENT_COLUMNS: readonly string[] = PACKED.content.columns;

export const CONTENT_MODEL: TreeModel = unpackModel(PACKED.content, CONTENT_COLUMNS);

const TYPE_FEATURES = [...PAGE_FEATURES, ...LIKELY_FEATURES];

export const TYPE_MODELS: readonly { type: PageType; model: TreeModel }[] = PACKED.types.map(({ type, model }) => ({
  type,
  model: unpackModel(model, TYPE_FEATURES),
}));

export const LEXICON: Lexicon = parseLexicon(PACKED.lexicon);

export const WORD_LEXICON: WordLexicon = unpackWords(PACKED.words);

export const CONTENT_FLOOR: number = PACKED.floor;

/** Points (expected F1, observed F1), rising. */
export const CONFIDENCE_CURVE: readonly (readonly [number, number])[] = PACKED.confidence;

/** Times what the curve gives, by page type. */
export const CONFIDENCE_FACTORS: Readonly<Record<PageType, number>> = PACKED.confidenceFactors;
