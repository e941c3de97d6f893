import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { escapeAttribute } from 'entities';
import type { FastifyInstance } from 'fastify';
import { AppError } from '../domain/shared/errors.ts';
import { staticAnswer, type StaticAnswer } from './answers/static-answer.ts';

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
const ASSETS = 'assets/';
const HASHED_POLICY = 'public, max-age=31536000, immutable';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

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
    for (const name of listFiles(folder)) {
      const asset = readAsset(folder, name);
      app.get(
        `/console/${name}`,
        staticAnswer(async () => asset),
      );
    }
    const index = readFileSync(path.join(folder, INDEX), 'utf8')
      .replaceAll(OWN_FILE, `${escapeAttribute(basePath)}/console/`)
      .replace(BASE_PATH, BASE_PATH.replace('content=""', `content="${escapeAttribute(basePath)}"`));
    const body = Buffer.from(index);
    const sendIndex = staticAnswer(async () => ({ body, headers: { 'Content-Type': TYPES['.html'] ?? '' } }));
    app.get('/console', sendIndex);
    app.get('/console/', sendIndex);
    app.get('/console/*', sendIndex);
    // A page of an earlier build that is still open would run the page as its script.
    app.get(`/console/${ASSETS}*`, (_request, reply) => reply.callNotFound());
  });
}

/** Returns the paths below the folder, with slashes, without the page itself. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/'))
    .filter((name) => name !== INDEX);
}

/** Read at the start: a build while the service runs replaces the files that the page of this process names. */
function readAsset(folder: string, name: string): StaticAnswer {
  const type = TYPES[path.extname(name)] ?? 'application/octet-stream';
  const cached = name.startsWith(ASSETS) ? { 'Cache-Control': HASHED_POLICY } : {};
  return { body: readFileSync(path.join(folder, name)), headers: { 'Content-Type': type, ...cached } };
}
