import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Tenant } from '../../domain/admission/fair-queue.ts';
import { AppError } from '../../domain/shared/errors.ts';
import { parseJsonText } from '../../domain/shared/parse-json-text.ts';
import { findTenant } from './limit-bodies.ts';

/** Larger bodies are parsed in a worker thread; a smaller one takes at most 10 ms. */
export const PARSED_AT_ONCE_BYTES: number = 256 * 1024;

export interface LargeJsonParser {
  /**
   * @param body its memory is transferred
   * @throws {AppError} `invalid_request` or `overloaded`
   */
  parse(body: Buffer, tenant: Tenant): Promise<unknown>;
}

/** Accepts only JSON bodies; syntax errors name their position. */
export function acceptJsonBodies(app: FastifyInstance, large: LargeJsonParser): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: string | Buffer) => {
      checkTextHeaders(request);
      const bytes = body as Buffer;
      return bytes.length > PARSED_AT_ONCE_BYTES ? large.parse(bytes, findTenant(request)) : parseJsonText(bytes);
    },
  );
}

/** @throws {AppError} `invalid_request` for another charset or compression */
export function checkTextHeaders({ headers }: FastifyRequest): void {
  checkCharset(headers['content-type'] ?? '');
  checkEncoding(headers['content-encoding']);
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)"?/i;

function checkCharset(contentType: string): void {
  const charset = CHARSET.exec(contentType)?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw new AppError(
      'invalid_request',
      `Content-Type: the charset must be utf-8, not ${charset.slice(0, 40) || 'empty'}`,
    );
  }
}

function checkEncoding(encoding: string | undefined): void {
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    const coding = encoding.slice(0, 40);
    throw new AppError(
      'invalid_request',
      `Content-Encoding: must be absent, not ${coding}: send the body uncompressed`,
    );
  }
}
