import { z } from 'zod';
import { answer, named, namedStrict } from '../api/described.ts';

export const KEY_KINDS = ['project', 'key_only'] as const;
/** `project`: a project key, which needs X-Project-Id; `key_only`: a standalone key, which ignores it. */
export type AdminKeyKind = (typeof KEY_KINDS)[number];

export const NAME_MAX_LENGTH = 100;
const MAX_QUOTA_PER_MINUTE = 1_000_000;

/** Control characters, line separators and bidirectional controls: they could fake other lines. */
const CONTROL_CHARACTER = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

/** The name of a project or a key. */
export const nameSchema: z.ZodString = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(NAME_MAX_LENGTH, `must have at most ${NAME_MAX_LENGTH} characters`)
  .refine((value) => !CONTROL_CHARACTER.test(value), 'must not contain control characters');

export const projectSchema = named('Project', {
  id: z.string(),
  name: z.string(),
  created_at: z.string(),
  archived_at: z.string().nullable(),
  learns: z.boolean().describe('Whether its pages help to extract other pages of their sites.'),
});
export type ProjectBody = z.infer<typeof projectSchema>;

export const projectListSchema = answer('ProjectList', { items: z.array(projectSchema) });
export type ProjectList = z.infer<typeof projectListSchema>;

export const projectResponseSchema = answer('ProjectResponse', { project: projectSchema });
export type ProjectResponse = z.infer<typeof projectResponseSchema>;

export const createProjectRequestSchema = namedStrict('CreateProjectRequest', { name: nameSchema });
export type CreateProjectRequest = z.infer<typeof createProjectRequestSchema>;

export const updateProjectRequestSchema = namedStrict('UpdateProjectRequest', {
  name: nameSchema.optional(),
  archived: z.boolean().optional().describe('The keys of an archived project are refused, and its batches wait.'),
  learns: z.boolean().optional().describe('false: pages leave no notes, and earlier notes are no evidence.'),
});
export type UpdateProjectRequest = z.infer<typeof updateProjectRequestSchema>;

export const keySchema = named('Key', {
  id: z.string(),
  project_id: z.string(),
  name: z.string(),
  kind: z.enum(KEY_KINDS),
  scope: z
    .enum(['mcp'])
    .nullable()
    .describe('`mcp`: only for `/mcp`, of an assistant that a user let in; null: for everything.'),
  prefix: z.string().describe('The visible start of the key.'),
  quota_per_minute: z.int().nullable(),
  created_at: z.string(),
  expires_at: z.string().nullable(),
  revoked_at: z.string().nullable(),
  last_used_at: z.string().nullable(),
});
export type KeyBody = z.infer<typeof keySchema>;

export const keyListSchema = answer('KeyList', { items: z.array(keySchema) });
export type KeyList = z.infer<typeof keyListSchema>;

/** Characters of parameters of OAuth. */
export const MAX_CLIENT_ID_LENGTH = 4096;
export const MAX_REDIRECT_LENGTH = 500;
export const MAX_STATE_LENGTH = 2048;

export const createKeyRequestSchema = namedStrict('CreateKeyRequest', {
  name: nameSchema,
  kind: z.enum(KEY_KINDS).optional().meta({
    description: '`project` (the default): a project key. `key_only`: a standalone key, for administrators only.',
  }),
  expires_at: z.iso
    .datetime({ offset: true, message: 'must be an RFC 3339 time' })
    .nullable()
    .optional()
    .describe('RFC 3339; null or absent: never.'),
  quota_per_minute: z.int().min(1).max(MAX_QUOTA_PER_MINUTE).nullable().optional(),
});
export type CreateKeyRequest = z.infer<typeof createKeyRequestSchema>;

export const createKeyResponseSchema = answer('CreateKeyResponse', {
  key: keySchema,
  secret: z.string().describe('The key itself; shown only here.'),
});
export type CreateKeyResponse = z.infer<typeof createKeyResponseSchema>;

export const keyResponseSchema = answer('KeyResponse', { key: keySchema });
export type KeyResponse = z.infer<typeof keyResponseSchema>;

/** A request of an OAuth client (RFC 6749, 4.1.1), as a user decides about it. */
export const authorizeClientRequestSchema = namedStrict('AuthorizeClientRequest', {
  client_id: z.string().min(1).max(MAX_CLIENT_ID_LENGTH),
  redirect_uri: z.string().min(1).max(MAX_REDIRECT_LENGTH),
  code_challenge: z.string().min(1).max(128).describe('S256 (RFC 7636).'),
  state: z.string().max(MAX_STATE_LENGTH).optional(),
  approved: z.boolean().describe('False: the user does not let the client in.'),
});
export type AuthorizeClientRequest = z.infer<typeof authorizeClientRequestSchema>;

export const authorizeClientResponseSchema = answer('AuthorizeClientResponse', {
  redirect_to: z.string().describe('Where to send the browser: with a code, or with `access_denied`.'),
});
export type AuthorizeClientResponse = z.infer<typeof authorizeClientResponseSchema>;

export const serviceResponseSchema = answer('ServiceResponse', {
  version: z.string(),
  region: z.string(),
  base_url: z.string(),
  base_url_overseas: z.string().nullable(),
  console_url: z.string(),
  console_url_overseas: z.string().nullable(),
  retention_age_ms: z.int().describe('Age at which snapshots are deleted.'),
  dump_timeout_ms: z.int().describe('Default time limit of a capture.'),
  engines: z.array(z.string()).describe('Accepted engine_preference values, auto first.'),
});
export type ServiceResponse = z.infer<typeof serviceResponseSchema>;
