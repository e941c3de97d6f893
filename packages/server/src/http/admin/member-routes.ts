import { recordAudit } from '../../domain/accounts/audit.ts';
import { createResetLink, invite, oneTimeLinkUrl, type CreatedLink } from '../../domain/accounts/links.ts';
import { requireUser, updateMember } from '../../domain/accounts/members.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { defineHandlers, type AdminDeps } from './admin-operations.ts';
import { presentAuditEntry, presentInvitation, presentMember } from './present-admin.ts';

export const memberHandlers = defineHandlers((deps) => {
  const { accounts } = deps;
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
