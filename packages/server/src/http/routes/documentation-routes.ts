import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { describeOpenApi, type OpenApiOptions } from '@winnow/contract';
import Fastify from 'fastify';
import type { FastifyInstance } from 'fastify';
import { stringify } from 'yaml';
import { AppError } from '../../domain/shared/errors.ts';
import { staticAnswer, type StaticAnswer } from '../answers/static-answer.ts';

/** All files come from the viewer's package. */
const CONTENT_SECURITY_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  // The viewer's own logo, which is drawn before ours, has the style of this hash.
  'style-src': "'self' 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='",
  // The viewer sets style attributes and embeds icons.
  'style-src-attr': "'unsafe-inline'",
  'img-src': "'self' data:",
  'font-src': "'self' data:",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const HARDENING = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** What the viewer's page loads. */
const VIEWER_PATHS = [
  '/docs',
  '/docs/',
  ...[
    'swagger-ui.css',
    'index.css',
    'swagger-ui-bundle.js',
    'swagger-ui-standalone-preset.js',
    'swagger-initializer.js',
    'oauth2-redirect.html',
    'oauth2-redirect.js',
    'favicon-32x32.png',
    'favicon-16x16.png',
  ].map((file) => `/docs/static/${file}`),
];

/** In place of the mark of the viewer's framework. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 128 32"><rect width="32" height="32" rx="7" fill="#0b6970"/><path d="M6 10h20M9 16h14M13 22h6" stroke="#fff" stroke-width="3" stroke-linecap="round"/><text x="42" y="23" font-family="sans-serif" font-size="20" font-weight="600" fill="#fff" textLength="82" lengthAdjust="spacingAndGlyphs">Winnow</text></svg>`;

type DocumentationOptions = OpenApiOptions & { readonly basePath: string };

/** `GET /openapi.json`, generated from the contract, and `GET /docs`. All are built on first use. */
export function addDocumentationRoutes(app: FastifyInstance, options: DocumentationOptions): void {
  let built: Promise<object> | undefined;
  const readDocument = (): Promise<object> => (built ??= buildInTurns(options));
  const sendJson = staticAnswer(async () => ({
    body: Buffer.from(JSON.stringify(await readDocument())),
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
  }));
  app.get('/openapi.json', sendJson);
  app.get('/docs/json', sendJson);
  app.get(
    '/docs/yaml',
    staticAnswer(async () => ({
      body: Buffer.from(await text(Readable.from(writeYaml(await readDocument(), 2)))),
      headers: { 'Content-Type': 'application/x-yaml' },
    })),
  );
  let viewer: FastifyInstance | undefined;
  const openViewer = (): FastifyInstance => (viewer ??= createViewer(options.basePath));
  for (const path of VIEWER_PATHS)
    app.get(
      path,
      staticAnswer(() => readViewer(openViewer(), path)),
    );
}

async function buildInTurns(options: OpenApiOptions): Promise<object> {
  const work = describeOpenApi(options);
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await nextTurn();
  }
}

/** Writes the members of an object one by one: the whole document would hold the event loop for a third of a second. */
async function* writeYaml(object: object, depth: number, indent = ''): AsyncGenerator<string> {
  for (const [name, value] of Object.entries(object) as [string, unknown][]) {
    await nextTurn();
    if (depth > 0 && isFilledObject(value)) {
      yield `${indent}${name}:\n`;
      yield* writeYaml(value, depth - 1, `${indent}  `);
    } else yield stringify({ [name]: value }, { aliasDuplicateObjects: false }).replaceAll(/^(?=.)/gm, indent);
  }
}

function isFilledObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

/** Creates an app that answers only this process: its plugin reads a file for each request. */
function createViewer(basePath: string): FastifyInstance {
  const app = Fastify();
  void app.register(swagger, { openapi: {} });
  void app.register(swaggerUi, {
    routePrefix: '/docs',
    indexPrefix: basePath,
    staticCSP: CONTENT_SECURITY_POLICY,
    uiConfig: { url: `${basePath}/openapi.json`, deepLinking: true, validatorUrl: null },
    logo: { type: 'image/svg+xml', content: LOGO },
    theme: { title: 'Winnow API' },
  });
  return app;
}

async function readViewer(viewer: FastifyInstance, path: string): Promise<StaticAnswer> {
  const { statusCode, headers, rawPayload } = await viewer.inject({ url: path });
  if (statusCode !== 200) throw new AppError('internal', `the documentation viewer answered ${statusCode} for ${path}`);
  return {
    body: rawPayload,
    headers: {
      ...HARDENING,
      'Content-Type': String(headers['content-type']),
      'Content-Security-Policy': String(headers['content-security-policy']),
    },
  };
}
