import { isObject, type LinkedData, type LinkedObject } from './json-ld.ts';

export type EntityKind = 'article' | 'post' | 'work' | 'product' | 'page' | 'other';

export interface Entity extends LinkedObject {
  readonly kind: EntityKind;
}

/** Types by their use of authors and dates; the first match counts. */
const KINDS: readonly (readonly [RegExp, EntityKind])[] = [
  [/^(?:DiscussionForumPosting|SocialMediaPosting|Question|QAPage)$/, 'post'],
  [/(?:Article|BlogPosting|LiveBlogPosting|Report|ScholarlyArticle|BlogPost|Posting|NewsArticle)$/, 'article'],
  [
    /^(?:Recipe|HowTo|Review|CriticReview|VideoObject|PodcastEpisode|Episode|Book|Course|LearningResource|CreativeWork|Guide|AnalysisNewsArticle|Photograph|VisualArtwork|Dataset|Chapter|ItemList|SoftwareSourceCode|Thesis)$/,
    'work',
  ],
  [/^(?:Product|ProductGroup|Vehicle|SoftwareApplication|MobileApplication|Offer|Service)$/, 'product'],
  [/(?:WebPage|Page)$/, 'page'],
];

/** Objects under these properties describe something other than the page. */
const FOREIGN_PATH =
  /(?:^|\.)(?:comment|review|reviews|itemListElement|hasPart|mentions|citation|relatedLink|isRelatedTo|about|publisher|author|creator|suggestedAnswer|acceptedAnswer|blogPost|isPartOf|subjectOf|image|logo|video|potentialAction|aggregateRating|offers|workExample|recommendations|itemReviewed|blogPosts|sharedContent)(?:\.|$)/;

/** Lists the JSON-LD objects about the page itself, in document order. */
export function listEntities(data: LinkedData): Entity[] {
  const entities: Entity[] = [];
  for (const object of data.objects) {
    if (object.types.length === 0 && !('headline' in object.properties)) continue;
    if (FOREIGN_PATH.test(object.path)) continue;
    entities.push({ ...object, kind: getKind(object) });
    if (entities.length >= 200) break;
  }
  return entities;
}

function getKind(object: LinkedObject): EntityKind {
  for (const [pattern, kind] of KINDS) if (object.types.some((type) => pattern.test(type))) return kind;
  return 'headline' in object.properties ? 'article' : 'other';
}

export function dereference(value: unknown, data: LinkedData): unknown {
  if (!isObject(value) || typeof value['@id'] !== 'string') return value;
  const full = data.byId.get(value['@id']);
  return full !== undefined && !('name' in value) ? full : value;
}

/** First non-empty string of a property: a string, an object with `@value`, or a list of these. */
export function readString(value: unknown): string | null {
  for (const item of Array.isArray(value) ? value.slice(0, 5) : [value]) {
    const text: unknown = isObject(item) ? (item['@value'] ?? item['name']) : item;
    if (typeof text === 'string' && text.trim() !== '') return text;
    if (typeof text === 'number') return String(text);
  }
  return null;
}
