import { z } from 'zod';
import { answer, named, namedStrict } from '../api/described.ts';

export const ROLES = ['admin', 'member'] as const;
/** Administrators see everything and manage accounts; members see the projects they are in. */
export type Role = (typeof ROLES)[number];

export const LINK_KINDS = ['setup', 'invite', 'reset'] as const;
/** What a one-time link is for: the first administrator, a new member, a new password. */
export type LinkKind = (typeof LINK_KINDS)[number];

export const PASSWORD_MIN_LENGTH = 10;
export const PASSWORD_MAX_LENGTH = 200;

const NO_EMAIL = 'must be an e-mail address';
/** Deliberately minimal: the mail server decides the rest. */
const email = z
  .string()
  .max(254, 'must have at most 254 characters')
  // Without the flag `u`: validators of other languages read the pattern too.
  .regex(/^[^\s@]+@[^\s@]+$/, NO_EMAIL)
  .refine((value) => !/\p{Cc}/u.test(value), NO_EMAIL);
const newPassword = z
  .string()
  .min(PASSWORD_MIN_LENGTH, `must have at least ${PASSWORD_MIN_LENGTH} characters`)
  .max(PASSWORD_MAX_LENGTH, `must have at most ${PASSWORD_MAX_LENGTH} characters`)
  .refine((value) => value.trim() !== '', 'must not consist of blanks only');
const token = z
  .string()
  .min(1, 'must not be empty: copy the whole link, with the part after #')
  .max(200, 'must have at most 200 characters');
const projectIds = z.array(z.string().max(64)).max(1000);

export const signInRequestSchema = namedStrict('SignInRequest', {
  email: z.string().max(254),
  password: z.string().max(PASSWORD_MAX_LENGTH),
});
export type SignInRequest = z.infer<typeof signInRequestSchema>;

export const accountSchema = named('Account', { id: z.string(), email: z.string(), role: z.enum(ROLES) });
export type Account = z.infer<typeof accountSchema>;

export const sessionResponseSchema = answer('SessionResponse', {
  user: accountSchema,
  csrf_token: z.string().describe('Value of the X-CSRF-Token header, which every change needs.'),
  expires_at: z.string(),
});
export type SessionResponse = z.infer<typeof sessionResponseSchema>;

export const setupResponseSchema = answer('SetupResponse', {
  needs_administrator: z.boolean().describe('The service has printed a one-time link for the first one.'),
});
export type SetupResponse = z.infer<typeof setupResponseSchema>;

export const signedOutResponseSchema = answer('SignedOutResponse', { ended_sessions: z.int() });
export type SignedOutResponse = z.infer<typeof signedOutResponseSchema>;

export const changePasswordRequestSchema = namedStrict('ChangePasswordRequest', {
  current_password: z.string().max(PASSWORD_MAX_LENGTH),
  new_password: newPassword,
});
export type ChangePasswordRequest = z.infer<typeof changePasswordRequestSchema>;

/** The token is in the body, never in a path: logs contain paths. */
export const lookUpLinkRequestSchema = namedStrict('LookUpLinkRequest', { token });

export const linkResponseSchema = answer('LinkResponse', {
  kind: z.enum(LINK_KINDS),
  email: z.string().nullable().describe('Null for the first administrator, who chooses it.'),
  role: z.enum(ROLES),
  expires_at: z.string(),
});
export type LinkResponse = z.infer<typeof linkResponseSchema>;

export const acceptLinkRequestSchema = namedStrict('AcceptLinkRequest', {
  token,
  email: email.optional(),
  password: newPassword,
});
export type AcceptLinkRequest = z.infer<typeof acceptLinkRequestSchema>;

export const memberSchema = named('Member', {
  id: z.string(),
  email: z.string(),
  role: z.enum(ROLES),
  project_ids: z.array(z.string()),
  created_at: z.string(),
  last_seen_at: z.string().nullable(),
  disabled_at: z.string().nullable(),
});
export type Member = z.infer<typeof memberSchema>;

export const invitationSchema = named('Invitation', {
  id: z.string(),
  kind: z.enum(LINK_KINDS),
  email: z.string(),
  role: z.enum(ROLES),
  project_ids: z.array(z.string()),
  created_at: z.string(),
  expires_at: z.string(),
});
export type Invitation = z.infer<typeof invitationSchema>;

export const memberListSchema = answer('MemberList', {
  items: z.array(memberSchema),
  invitations: z.array(invitationSchema),
});
export type MemberList = z.infer<typeof memberListSchema>;

export const inviteRequestSchema = namedStrict('InviteRequest', {
  email,
  role: z.enum(ROLES),
  project_ids: projectIds.optional(),
});
export type InviteRequest = z.infer<typeof inviteRequestSchema>;

export const oneTimeLinkResponseSchema = answer('OneTimeLinkResponse', {
  url: z.string().describe('Works once, until expires_at; shown only here.'),
  expires_at: z.string(),
});
export type OneTimeLinkResponse = z.infer<typeof oneTimeLinkResponseSchema>;

export const updateMemberRequestSchema = namedStrict('UpdateMemberRequest', {
  role: z.enum(ROLES).optional(),
  project_ids: projectIds.optional(),
  disabled: z.boolean().optional(),
});
export type UpdateMemberRequest = z.infer<typeof updateMemberRequestSchema>;

export const memberResponseSchema = answer('MemberResponse', { member: memberSchema });
export type MemberResponse = z.infer<typeof memberResponseSchema>;

export const auditEntrySchema = named('AuditEntry', {
  id: z.string(),
  at: z.string(),
  actor: z.string().describe('E-mail of the person, or `command line`.'),
  action: z.string(),
  project_id: z.string().nullable(),
  target: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const auditListSchema = answer('AuditList', {
  items: z.array(auditEntrySchema),
  next_cursor: z.string().nullable(),
});
export type AuditList = z.infer<typeof auditListSchema>;
