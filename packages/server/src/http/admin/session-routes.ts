import type { FastifyInstance } from 'fastify';
import { acceptLink, findLink } from '../../domain/accounts/links.ts';
import { changePassword, signIn } from '../../domain/accounts/sign-in.ts';
import { addOperation } from './add-operation.ts';
import type { AdminDeps } from './admin-deps.ts';
import { clearSessionCookie, setSessionCookie } from './admin-session.ts';
import { ADMIN_OPERATIONS } from '@winnow/contract';
import { presentSession } from './present-admin.ts';

/** Sign-in, sign-out, one-time links. */
export function addSessionRoutes(app: FastifyInstance, deps: AdminDeps): void {
  const { accounts, sessionSettings } = deps;
  addOperation(app, deps, ADMIN_OPERATIONS.signIn, async ({ request, reply, body }) => {
    const signedIn = await signIn(accounts, { ...body, from: request.ip });
    setSessionCookie(reply, sessionSettings, signedIn);
    return presentSession(request.id, signedIn);
  });
  addOperation(app, deps, ADMIN_OPERATIONS.readSession, async ({ request, signedIn }) =>
    presentSession(request.id, signedIn()),
  );
  addOperation(app, deps, ADMIN_OPERATIONS.signOut, async ({ request, reply, signedIn }) => {
    const ended = await accounts.sessions.delete(signedIn().session.hash);
    clearSessionCookie(reply, sessionSettings);
    return { request_id: request.id, ended_sessions: ended };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.signOutEverywhere, async ({ request, reply, signedIn }) => {
    const ended = await accounts.sessions.deleteOfUser(signedIn().user.id);
    clearSessionCookie(reply, sessionSettings);
    return { request_id: request.id, ended_sessions: ended };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.changePassword, async ({ request, reply, body, signedIn }) => {
    const change = { current: body.current_password, next: body.new_password, from: request.ip };
    const renewed = await changePassword(accounts, signedIn().user, change);
    setSessionCookie(reply, sessionSettings, renewed);
    return presentSession(request.id, renewed);
  });
  addLinkRoutes(app, deps);
}

function addLinkRoutes(app: FastifyInstance, deps: AdminDeps): void {
  addOperation(app, deps, ADMIN_OPERATIONS.lookUpLink, async ({ request, body }) => {
    const { kind, email, role, expiresAt } = await findLink(deps.accounts, body.token);
    return { request_id: request.id, kind, email, role, expires_at: expiresAt.toISOString() };
  });
  addOperation(app, deps, ADMIN_OPERATIONS.acceptLink, async ({ request, reply, body }) => {
    const signedIn = await acceptLink(deps.accounts, { token: body.token, email: body.email, password: body.password });
    setSessionCookie(reply, deps.sessionSettings, signedIn);
    return presentSession(request.id, signedIn);
  });
}
