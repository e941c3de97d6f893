/** What an id names, by its prefix; the rest is a ULID. */
export const ID_PREFIXES = {
  request: 'req',
  dom: 'dom',
  project: 'prj',
  template: 'tpl',
  key: 'key',
  user: 'usr',
  batch: 'bat',
  logEntry: 'log',
} as const;

export type IdKind = keyof typeof ID_PREFIXES;

/** A well-formed inbound `X-Request-ID` is kept; anything else is replaced by an id of our own. */
export const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,128}$/;

/** The name of the built-in template, the trained extractor. */
export const GENERIC_TEMPLATE_ID = 'generic:v1';

export const HEADERS = {
  apiKey: 'X-API-Key',
  projectId: 'X-Project-Id',
  requestId: 'X-Request-ID',
} as const;
