import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Routes } from './route.ts';
import { ATTACK_ROUTES } from './routes/attack-routes.ts';
import { CONSENT_ROUTES } from './routes/consent-routes.ts';
import { FRAMING_ROUTES } from './routes/framing-routes.ts';
import { HOSTILE_ROUTES } from './routes/hostile-routes.ts';
import { HTTP_ROUTES } from './routes/http-routes.ts';
import { LIST_ROUTES } from './routes/list-routes.ts';
import { RENDERING_ROUTES } from './routes/rendering-routes.ts';

const ROUTES: Routes = {
  ...RENDERING_ROUTES,
  ...HTTP_ROUTES,
  ...FRAMING_ROUTES,
  ...HOSTILE_ROUTES,
  ...ATTACK_ROUTES,
  ...CONSENT_ROUTES,
  ...LIST_ROUTES,
};

/** Answers a request with the test site's page of its path, or 404. */
export async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://site.test');
  response.on('error', () => {});
  const handler = ROUTES[url.pathname];
  if (handler) return handler({ request, response, url });
  response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no such path</p>');
}
