import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { buildOpenApi } from '@winnow/contract';
import type { OpenApiOptions } from '@winnow/contract';
import type { FastifyInstance } from 'fastify';

/** All files come from the viewer's package. */
const CONTENT_SECURITY_POLICY = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
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

/** `GET /openapi.json`, generated from the contract, and `GET /docs`. */
export function addDocumentationRoutes(
  app: FastifyInstance,
  { basePath, ...options }: OpenApiOptions & { readonly basePath: string },
): void {
  let built: ReturnType<typeof buildOpenApi> | undefined;
  // Built on first use, because it takes 70 ms of processor time.
  const readDocument = (): ReturnType<typeof buildOpenApi> => (built ??= buildOpenApi(options));
  app.get('/openapi.json', readDocument);
  void app.register(async (scope) => {
    scope.addHook('onRequest', async (_request, reply) => void reply.headers(HARDENING));
    await scope.register(swagger, { openapi: {}, transformObject: () => readDocument() as never });
    await scope.register(swaggerUi, {
      routePrefix: '/docs',
      indexPrefix: basePath,
      staticCSP: CONTENT_SECURITY_POLICY,
      uiConfig: { url: `${basePath}/openapi.json`, deepLinking: true, validatorUrl: null },
      theme: { title: 'Winnow API' },
    });
  });
}
