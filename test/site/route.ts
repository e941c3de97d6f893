import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a request for one path of the test site. */
export type Route = (exchange: Exchange) => void | Promise<void>;

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

export type Routes = Readonly<Record<string, Route>>;

/** A route that answers with an HTML page; `body` may use the URL. */
export function page(body: string | ((url: URL) => string), headers: Readonly<Record<string, string>> = {}): Route {
  return ({ response, url }) => {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers });
    response.end(document(typeof body === 'string' ? body : body(url)));
  };
}

/** A whole document around a body. */
export function document(body: string, title = 'Test page'): string {
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body>${body}</body></html>`;
}

/** Text of each paragraph of {@link ARTICLE}. */
export const PARAGRAPH =
  'This is a paragraph of an ordinary article, which has a few sentences and says nothing. It goes on for a while, as paragraphs do.';

/** Text long enough to count as an article. */
export const ARTICLE: string = `<article><h1>An ordinary page</h1>${`<p>${PARAGRAPH}</p>`.repeat(8)}</article>`;

/** If a capture has this text, the page was rendered far enough. */
export const MARK = 'the content that was waited for';

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
