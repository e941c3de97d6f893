import { recordAudit } from '../../domain/accounts/audit.ts';
import {
  createResetLink,
  invite,
  oneTimeLinkUrl,
  type CreatedLink,
  acceptLink,
  findLink,
  hasAdministrator,
} from '../../domain/accounts/links.ts';
import { requireUser, updateMember } from '../../domain/accounts/members.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { defineHandlers, type AdminDeps } from './admin-operations.ts';
import { presentAuditEntry, presentInvitation, presentMember, presentSession } from './present-admin.ts';
import type { FastifyReply } from 'fastify';
import { changePassword, signIn } from '../../domain/accounts/sign-in.ts';
import type { SignedIn } from '../../domain/accounts/sessions.ts';
import { hangUpSignal } from '../requests/request-context.ts';
import { clearSessionCookie, readDeviceCookie, setDeviceCookie, setSessionCookie } from './admin-session.ts';

export const accountHandlers = defineHandlers((deps) => {
  const { accounts, sessionSettings } = deps;
  return {
    listMembers: async ({ request }) => {
      const users = await accounts.users.list();
      const items = users.map(async (user) => presentMember(user, await accounts.users.listProjectIds(user.id)));
      const now = accounts.now?.() ?? new Date();
      const links = (await accounts.links.list()).filter(({ kind, expiresAt }) => kind !== 'setup' && expiresAt > now);
      return { request_id: request.id, items: await Promise.all(items), invitations: links.map(presentInvitation) };
    },
    updateMember: async ({ request, body, params, signedIn }) => {
      if (body.project_ids) await requireProjects(deps, body.project_ids);
      const changes = { role: body.role, projectIds: body.project_ids, disabled: body.disabled };
      const user = await updateMember(accounts, signedIn().user, params.user_id, changes);
      return { request_id: request.id, member: presentMember(user, await accounts.users.listProjectIds(user.id)) };
    },
    createResetLink: async ({ request, params, signedIn }) => {
      const user = await requireUser(accounts, params.user_id);
      if (user.disabledAt !== null) throw new AppError('conflict', 'the member is disabled');
      return presentLink(request.id, deps, await createResetLink(accounts, signedIn().user, user));
    },
    listAudit: async ({ request, query }) => {
      const page = await accounts.audit.list(query);
      return { request_id: request.id, items: page.items.map(presentAuditEntry), next_cursor: page.nextCursor };
    },
    invite: async ({ request, body, signedIn }) => {
      const projectIds = body.project_ids ?? [];
      await requireProjects(deps, projectIds);
      const created = await invite(accounts, signedIn().user, { email: body.email, role: body.role, projectIds });
      return presentLink(request.id, deps, created);
    },
    withdrawInvitation: async ({ request, params, signedIn }) => {
      const id = params.link_id;
      const link = (await accounts.links.list()).find((one) => one.id === id);
      if (!link || !(await accounts.links.take(id))) throw new AppError('not_found', 'no such invitation');
      await recordAudit(accounts, signedIn().user, { action: 'member.withdraw-invitation', target: link.email });
      return { request_id: request.id, deleted: id };
    },
    signIn: async ({ request, reply, body }) => {
      const device = readDeviceCookie(sessionSettings, request);
      const signedIn = await signIn(accounts, { ...body, from: request.ip, device, signal: hangUpSignal(reply) });
      enter(deps, reply, signedIn);
      return presentSession(request.id, signedIn);
    },
    readSetup: async ({ request }) => ({
      request_id: request.id,
      needs_administrator: !(await hasAdministrator(accounts)),
    }),
    readSession: async ({ request, signedIn }) => presentSession(request.id, signedIn()),
    signOut: async ({ request, reply, signedIn }) => {
      const ended = await accounts.sessions.delete(signedIn().session.hash);
      clearSessionCookie(reply, sessionSettings);
      return { request_id: request.id, ended_sessions: ended };
    },
    signOutEverywhere: async ({ request, reply, signedIn }) => {
      const ended = await accounts.sessions.deleteOfUser(signedIn().user.id);
      clearSessionCookie(reply, sessionSettings);
      return { request_id: request.id, ended_sessions: ended };
    },
    changePassword: async ({ request, reply, body, signedIn }) => {
      const renewed = await changePassword(accounts, signedIn().user, {
        current: body.current_password,
        next: body.new_password,
        from: request.ip,
        signal: hangUpSignal(reply),
      });
      enter(deps, reply, renewed);
      return presentSession(request.id, renewed);
    },
    lookUpLink: async ({ request, body }) => {
      const { kind, email, role, expiresAt } = await findLink(deps.accounts, body.token);
      return { request_id: request.id, kind, email, role, expires_at: expiresAt.toISOString() };
    },
    acceptLink: async ({ request, reply, body }) => {
      const { token, email, password } = body;
      const signedIn = await acceptLink(deps.accounts, { token, email, password, signal: hangUpSignal(reply) });
      enter(deps, reply, signedIn);
      return presentSession(request.id, signedIn);
    },
  };
});

function presentLink(requestId: string, deps: AdminDeps, { link, token }: CreatedLink) {
  return {
    request_id: requestId,
    url: oneTimeLinkUrl(deps.service().console_url, token),
    expires_at: link.expiresAt.toISOString(),
  };
}

async function requireProjects(deps: AdminDeps, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    if (!(await deps.projects.find(id))) throw new AppError('invalid_request', 'project_ids: no such project');
  }
}

function enter({ accounts, sessionSettings }: AdminDeps, reply: FastifyReply, signedIn: SignedIn): void {
  setSessionCookie(reply, sessionSettings, signedIn);
  setDeviceCookie(reply, sessionSettings, signedIn.user, accounts.now?.() ?? new Date());
}
