import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { AppError } from '../domain/shared/errors.ts';

/**
 * The console may load only from this service, without inline scripts or styles. Images may be data URLs; frames show
 * stored pages, which are sandboxed.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
};

const INDEX = 'index.html';

/** File names there contain a content hash. */
const ASSETS = /[\\/]assets[\\/]/;

const OWN_FILE = /(?<=(?:href|src)=")\.\//g;
const BASE_PATH = '<meta name="winnow-base-path" content="" />';

/**
 * Serves the console's single page under `/console`.
 * @param basePath path of the public address; empty at the root
 */
export function addConsole(parent: FastifyInstance, folder: string, basePath: string): void {
  void parent.register(async (app) => {
    const built = existsSync(path.join(folder, INDEX));
    app.addHook('onSend', async (_request, reply) => void reply.headers(HEADERS));
    if (!built) {
      const refuse = async (): Promise<never> => {
        throw new AppError('not_found', 'the console is not built: run `npm start`, which builds it');
      };
      app.get('/console', refuse);
      app.get('/console/*', refuse);
      return;
    }
    await app.register(fastifyStatic, {
      root: folder,
      prefix: '/console/',
      wildcard: false,
      index: false,
      preCompressed: true,
      cacheControl: false,
      setHeaders: (response, file) => {
        const policy = ASSETS.test(file) ? 'public, max-age=31536000, immutable' : 'no-cache';
        response.header('Cache-Control', policy);
      },
    });
    const index = readFileSync(path.join(folder, INDEX), 'utf8')
      .replaceAll(OWN_FILE, `${escapeAttribute(basePath)}/console/`)
      .replace(BASE_PATH, BASE_PATH.replace('content=""', `content="${escapeAttribute(basePath)}"`));
    const sendIndex = async (_request: unknown, reply: FastifyReply) =>
      reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-cache').send(index);
    app.get('/console', sendIndex);
    app.get('/console/', sendIndex);
    app.get('/console/*', sendIndex);
  });
}

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
