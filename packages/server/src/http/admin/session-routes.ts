import type { FastifyReply } from 'fastify';
import { acceptLink, findLink, hasAdministrator } from '../../domain/accounts/links.ts';
import { changePassword, signIn } from '../../domain/accounts/sign-in.ts';
import type { SignedIn } from '../../domain/accounts/sessions.ts';
import { hangUpSignal } from '../requests/request-context.ts';
import { defineHandlers, type AdminDeps } from './admin-operations.ts';
import { clearSessionCookie, readDeviceCookie, setDeviceCookie, setSessionCookie } from './admin-session.ts';
import { presentSession } from './present-admin.ts';

export const sessionHandlers = defineHandlers((deps) => {
  const { accounts, sessionSettings } = deps;
  return {
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

function enter({ accounts, sessionSettings }: AdminDeps, reply: FastifyReply, signedIn: SignedIn): void {
  setSessionCookie(reply, sessionSettings, signedIn);
  setDeviceCookie(reply, sessionSettings, signedIn.user, accounts.now?.() ?? new Date());
}
