/** What a row of the tables of operations states. Routes, checks and the OpenAPI document follow from it. */
import type { z } from 'zod';
import type { ErrorCode, Stage } from './errors.ts';
import type { Limits } from './limits.ts';

/** What the schemas of requests depend on: settings of the deployment. */
export interface RequestSchemaOptions {
  readonly limits?: Limits;
  /** Name of the engine family, see `engines.ts`. */
  readonly engineFamily?: string;
  /** Default of a dump. */
  readonly dumpTimeoutMs?: number;
  /** Default of each workflow stage. */
  readonly stageTimeoutMs?: number;
}

/** A schema, or how it follows from the settings. */
export type SchemaSource = z.ZodType | ((options: RequestSchemaOptions) => z.ZodType);

export type BodyLimit = 'WINNOW_BATCH_MAX_BODY_BYTES' | 'WINNOW_MAX_PAGE_BYTES';

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** In Fastify's syntax: `:name` for a parameter, `*` for the rest. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** The method of the clients that calls it, as TypeScript names it: the reference has samples then. */
  readonly client?: string;
  /** `key`: an API key (the default); `nobody`: neither key nor session; `member`: a session; `admin`: an administrator's. */
  readonly access?: 'key' | 'nobody' | 'member' | 'admin';
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: SchemaSource;
  /** A body that the schema accepts. */
  readonly example?: object;
  /** Schema of a line, where the body may also be JSON Lines; `exampleLines` are such lines. */
  readonly bodyLine?: SchemaSource;
  readonly exampleLines?: readonly object[];
  /** The setting that limits the body; default: `WINNOW_MAX_BODY_BYTES`. */
  readonly bodyLimit?: BodyLimit;
  /** Of the answer with status 200, as JSON. */
  readonly response?: z.ZodType;
  /** Schema of a line, where the answer is JSON Lines. */
  readonly responseLine?: z.ZodType;
  /** Other media types of the answer; null: bytes. */
  readonly media?: Readonly<Record<string, z.ZodType | null>>;
  /** Answers with other statuses that are no errors. */
  readonly others?: Readonly<Record<number, { readonly description: string; readonly schema?: z.ZodType }>>;
  /** A stored snapshot may be reused, with the header `Age`. */
  readonly mayReuse?: true;
  /** The answer is the content of one page, with headers that say what is doubtful about it. */
  readonly isExtraction?: true;
  /** The stages that it has; errors of these stages can occur. */
  readonly stages?: readonly Stage[];
  /** Further errors, and errors of its stages that cannot occur. */
  readonly errors?: readonly ErrorCode[];
  readonly never?: readonly ErrorCode[];
  /** Default: `ErrorResponse`. */
  readonly failure?: z.ZodType;
}

export type SchemaOf<S> = S extends (options: never) => infer T ? T : S;

export function resolveSchema<S extends SchemaSource>(source: S, options: RequestSchemaOptions): SchemaOf<S> {
  return (typeof source === 'function' ? source(options) : source) as SchemaOf<S>;
}
