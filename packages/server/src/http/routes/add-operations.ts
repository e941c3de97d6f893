import { describeReduced, resolveSchema, withoutUnset, type Operation, type SchemaOf } from '@winnow/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';
import type { z } from 'zod';
import { checkTextHeaders } from '../bodies/json-body.ts';
import { requireValid, validateBody } from '../bodies/validate-body.ts';
import type { StageContext } from '../../domain/shared/workflow.ts';
import { requireWorkflow, type RouteSettings } from '../requests/request-context.ts';

type Operations = Readonly<Record<string, Operation>>;

type ParamNames<Path> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParamNames<`/${More}`>
    : Rest
  : never;

export type BodyOf<O> = O extends { readonly body: infer S }
  ? SchemaOf<S> extends infer T extends z.ZodType
    ? z.output<T>
    : never
  : undefined;

export interface OperationCall<O extends Operation = Operation> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: Readonly<Record<ParamNames<O['path']>, string>>;
  readonly query: O extends { readonly query: infer Q extends z.ZodType } ? z.output<Q> : undefined;
  /**
   * Checks the body.
   * @param note for the trace
   */
  readonly readBody: (note?: Note) => BodyOf<O>;
  /** Checks the body in stage `request`, keeps it for the request log, and returns what is made of it. */
  readonly accept: <T>(make: (body: BodyOf<O>, note: Note) => Promise<T> | T) => Promise<T>;
}

type Note = StageContext<'request'>['note'];

/** JSON of the operation's schema; what has another form is sent with the reply. */
export type AnswerOf<O> =
  | (O extends { readonly response: infer R extends z.ZodType } ? z.output<R> : never)
  | (O extends { readonly media: object } | { readonly others: object } | { readonly responseLine: object }
      ? FastifyReply
      : never);

export type Work<O extends Operation> = (call: OperationCall<O>) => Promise<AnswerOf<O>> | AnswerOf<O>;
type Hooks = Pick<RouteOptions, 'preParsing' | 'exposeHeadRoute'>;

export type Handler<O extends Operation> = Work<O> | (Hooks & { readonly work: Work<O> });
export type Handlers<T extends Operations> = { readonly [Id in keyof T]: Handler<T[Id]> };

/** Adds the route of each row. Operations without a body discard any: some clients declare an empty body as JSON. */
export function addOperations<const T extends Operations>(
  parent: FastifyInstance,
  operations: T,
  handlers: Handlers<T>,
  settings: RouteSettings,
): void {
  for (const [id, operation] of Object.entries(operations)) {
    const handler = handlers[id as keyof T] as Handler<Operation>;
    const { work, ...hooks } = typeof handler === 'function' ? { work: handler } : handler;
    const route = { ...toRoute(operation, work, settings), ...hooks };
    if (operation.bodyLine !== undefined) addInScope(parent, acceptLines, route);
    else if (operation.body === undefined && operation.method !== 'GET') addInScope(parent, ignoreBodies, route);
    else parent.route(route);
  }
}

function addInScope(parent: FastifyInstance, prepare: (scope: FastifyInstance) => void, route: RouteOptions): void {
  void parent.register(async (scope) => {
    prepare(scope);
    scope.route(route);
  });
}

/** Also accepts JSON Lines, whose handler reads the bytes. */
function acceptLines(scope: FastifyInstance): void {
  const options = { parseAs: 'buffer' } as const;
  scope.addContentTypeParser('application/x-ndjson', options, async (request: FastifyRequest, body: Buffer) => {
    checkTextHeaders(request);
    return body;
  });
}

/** @param settings without them the schemas have their defaults */
export function toRoute(operation: Operation, work: Work<Operation>, settings: RouteSettings): RouteOptions {
  const { method, path, body: source, query, bodyLimit } = operation;
  const schema = source && resolveSchema(source, settings);
  const isPublic = (operation.access ?? 'key') === 'key';
  const readBody = (given: unknown, note?: Note) => {
    if (schema === undefined) return undefined;
    const body = validateBody(schema, isPublic ? withoutUnset(schema, given) : given);
    note?.(describeReduced(given, body));
    return body;
  };
  return {
    method,
    url: path,
    ...(bodyLimit && { bodyLimit: settings.bodyLimits[bodyLimit], config: { bodyLimitSetting: bodyLimit } }),
    handler: (request, reply) =>
      work({
        request,
        reply,
        params: request.params as OperationCall['params'],
        query: query && (requireValid(query, request.query, 'query') as never),
        readBody: (note) => readBody(request.body, note) as never,
        accept: (make) =>
          requireWorkflow(request).run('request', {}, async ({ note }) => {
            request.acceptedBody = readBody(request.body, note);
            return make(request.acceptedBody as never, note);
          }),
      }),
  };
}

/** Accepts and discards any body: some clients declare an empty body as JSON. */
function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async () => undefined);
}
