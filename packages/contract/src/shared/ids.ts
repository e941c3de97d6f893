/** Prefixes of ids; the rest is a ULID. */
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

/** A well-formed inbound `X-Request-ID` is kept; anything else is replaced by a new id. */
export const REQUEST_ID_PATTERN = /^[A-Za-z0-9._-]{1,128}$/;

/** The name of the built-in template, the trained extractor. */
export const GENERIC_TEMPLATE_ID = 'generic:v1';

export const HEADERS = {
  apiKey: 'X-API-Key',
  projectId: 'X-Project-Id',
  requestId: 'X-Request-ID',
  confidence: 'Winnow-Confidence',
  domId: 'Winnow-Dom-Id',
  templateId: 'Winnow-Template-Id',
  warnings: 'Winnow-Warnings',
} as const;
