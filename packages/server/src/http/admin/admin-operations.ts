import { ADMIN_OPERATIONS } from '@winnow/contract';
import type { Operation } from '@winnow/contract';
import type { FastifyInstance } from 'fastify';
import { requireAdmin } from '../../domain/accounts/projects.ts';
import type { SignedIn } from '../../domain/accounts/sessions.ts';
import { SMALL_BODY_BYTES } from '../bodies/limit-bodies.ts';
import { toRoute } from '../routes/add-operations.ts';
import type { AnswerOf, BodyOf, Call, Work } from '../routes/add-operations.ts';
import { refuseForeignOrigin, requireSession, requireSignedIn } from './admin-session.ts';
import type { AdminDeps } from './admin-deps.ts';

const { extract: _extract, dump: _dump, ...OPERATIONS } = ADMIN_OPERATIONS;

export interface AdminCall<O extends Operation> extends Omit<Call<O>, 'readBody'> {
  readonly body: BodyOf<O>;
  /** Throws without a session; for operations with access `member` or `admin`. */
  readonly signedIn: () => SignedIn;
}

type AdminHandler<O extends Operation> = (call: AdminCall<O>) => Promise<AnswerOf<O>>;
/** A handler for each row, except for the playground's. */
export type AdminHandlers = { readonly [Id in keyof typeof OPERATIONS]: AdminHandler<(typeof OPERATIONS)[Id]> };

/** Each operation checks access, then query and body, then runs its handler. */
export function addAdminOperations(app: FastifyInstance, deps: AdminDeps, handlers: AdminHandlers): void {
  for (const [id, operation] of Object.entries(OPERATIONS) as [keyof AdminHandlers, Operation][]) {
    const handler = handlers[id] as AdminHandler<Operation>;
    const work: Work<Operation> = ({ readBody, ...call }) =>
      handler({ ...call, body: readBody(), signedIn: () => requireSignedIn(call.request) });
    app.route({
      ...toRoute(operation, work, deps.settings),
      ...(operation.access === 'nobody' ? { bodyLimit: SMALL_BODY_BYTES, config: { bodyLimitSetting: null } } : {}),
      onRequest: async (request) => {
        if (operation.access === 'nobody') return refuseForeignOrigin(request, deps.sessionSettings);
        const { user } = await requireSession(deps.accounts, deps.sessionSettings, request);
        if (operation.access === 'admin') requireAdmin(user);
      },
    });
  }
}
