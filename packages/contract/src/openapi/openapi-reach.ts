/** The OpenAPI paths of MCP and of other services' interfaces. */
import type { z } from 'zod';
import * as facades from '../api/facades.ts';
import type { RequestSchemaOptions } from '../api/requests.ts';
import { describeKeyResponse, jsonOf, KEY_SECURITY } from './openapi-parts.ts';
import type { Json } from './openapi-parts.ts';

interface ReachOperation {
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Json[];
  /** Schema of the body. */
  readonly request?: string;
  readonly answer: Json;
  /** Schema of failures. */
  readonly failure: string;
}

export const REACH_TAG = {
  name: 'other clients',
  description: 'The Model Context Protocol, and the interfaces of other services for their own clients',
};

const ANY_OBJECT: Json = { 'application/json': { schema: { type: 'object' } } };

/** The paths of `/mcp` and of other services' interfaces; a deployment may have some of them turned off. */
export function describeReachPaths(): Json {
  const batchId: Json = {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Id of the batch.',
    schema: { type: 'string', examples: ['bat_01J9ZC8X9A4Q7W2E5R8T1Y3V6K'] },
  };
  const failure = 'FirecrawlError';
  return {
    '/mcp': { post: describeOperation(MCP) },
    '/v2/scrape': {
      post: describeOperation({
        id: 'firecrawlScrape',
        summary: 'Firecrawl v2: read a page',
        description:
          'Fetches and extracts a page as `/v1/extract` does. The error for an unsupported field names the field.',
        request: 'FirecrawlScrapeRequest',
        answer: jsonOf('FirecrawlScrapeResponse'),
        failure,
      }),
    },
    '/v2/batch/scrape': {
      post: describeOperation({
        id: 'firecrawlBatchScrape',
        summary: 'Firecrawl v2: read many pages in the background',
        description: 'Creates a batch as `/v1/batches` does; it can be read there too.',
        request: 'FirecrawlBatchRequest',
        answer: jsonOf('FirecrawlBatchResponse'),
        failure,
      }),
    },
    '/v2/batch/scrape/{id}': {
      get: describeOperation({
        id: 'firecrawlBatchStatus',
        summary: 'Firecrawl v2: read the state and the documents of a batch',
        description:
          'Documents come in pages, up to the first item that is not finished; `next` leads to the next page.',
        parameters: [
          batchId,
          {
            name: 'skip',
            in: 'query',
            required: false,
            description: 'Number of items to skip.',
            schema: { type: 'integer', minimum: 0 },
          },
        ],
        answer: jsonOf('FirecrawlBatchStatus'),
        failure,
      }),
      delete: describeOperation({
        id: 'firecrawlCancelBatch',
        summary: 'Firecrawl v2: cancel a batch',
        description: 'Waiting items never start; running items are finished.',
        parameters: [batchId],
        answer: ANY_OBJECT,
        failure,
      }),
    },
    '/v2/batch/scrape/{id}/errors': {
      get: describeOperation({
        id: 'firecrawlBatchErrors',
        summary: 'Firecrawl v2: read the failures of a batch',
        description: 'Returns the first 1,000 failures, and the pages that robots.txt refuses.',
        parameters: [batchId],
        answer: ANY_OBJECT,
        failure,
      }),
    },
    '/v2/map': {
      post: describeOperation({
        id: 'firecrawlMap',
        summary: 'Firecrawl v2: list the addresses of a site',
        description: 'Reads the links of the page and the sitemaps of its site: up to 50 files and 40 MiB.',
        request: 'FirecrawlMapRequest',
        answer: jsonOf('FirecrawlMapResponse'),
        failure,
      }),
    },
    '/r/{url}': { get: describeOperation(READER) },
    '/web-loader': {
      post: describeOperation({
        id: 'loadWebPages',
        summary: 'Open WebUI: read pages for its external web loader',
        description: 'Pages that cannot be read are left out. Each page counts against the quota of the key.',
        request: 'WebLoaderRequest',
        answer: jsonOf('WebLoaderResponse'),
        failure: 'ReaderError',
      }),
    },
  };
}

const MCP: ReachOperation = {
  id: 'mcp',
  summary: 'Model Context Protocol over Streamable HTTP',
  description: 'One JSON-RPC message per request, without sessions. `tools/list` returns the tools and their schemas.',
  request: 'McpMessage',
  answer: { ...ANY_OBJECT, 'text/event-stream': { schema: { type: 'string' } } },
  failure: 'ErrorResponse',
};

const READER: ReachOperation = {
  id: 'readPage',
  summary: 'Jina Reader: read a page as text',
  description:
    'The address follows `/r/` unencoded, with its query. `Accept: application/json` selects JSON. The error for an unsupported header names the header.',
  parameters: [
    {
      name: 'url',
      in: 'path',
      required: true,
      description: 'Page address, http or https.',
      schema: { type: 'string', examples: ['https://example.com/news/1'] },
    },
    {
      name: 'X-Return-Format',
      in: 'header',
      required: false,
      description: 'Form of the content.',
      schema: { type: 'string', enum: ['markdown', 'text', 'html'], default: 'markdown' },
    },
    {
      name: 'X-Timeout',
      in: 'header',
      required: false,
      description: 'Time limit in seconds.',
      schema: { type: 'integer', minimum: 1 },
    },
  ],
  answer: { 'text/plain': { schema: { type: 'string' } }, ...ANY_OBJECT },
  failure: 'ReaderError',
};

function describeOperation(operation: ReachOperation): Json {
  const { id, summary, description, parameters = [], request, answer, failure } = operation;
  const refusal = 'The request is not accepted, for a reason that the body states';
  return {
    operationId: id,
    summary,
    description,
    tags: [REACH_TAG.name],
    security: KEY_SECURITY,
    parameters,
    ...(request === undefined ? {} : { requestBody: { required: true, content: jsonOf(request) } }),
    responses: {
      200: describeKeyResponse(200, 'Success', answer),
      '4XX': describeKeyResponse(400, refusal, jsonOf(failure)),
      '5XX': describeKeyResponse(503, 'The page could not be read, or the service is busy', jsonOf(failure)),
    },
  };
}

/** The schemas that the paths refer to, by name. */
export function listReachSchemas(options: RequestSchemaOptions): Record<string, z.ZodType> {
  return {
    McpMessage: facades.mcpMessageSchema,
    FirecrawlScrapeRequest: facades.firecrawlScrapeSchema(options),
    FirecrawlBatchRequest: facades.firecrawlBatchSchema(options),
    FirecrawlMapRequest: facades.firecrawlMapSchema(options),
    FirecrawlScrapeResponse: facades.firecrawlScrapeResponseSchema,
    FirecrawlBatchResponse: facades.firecrawlBatchResponseSchema,
    FirecrawlBatchStatus: facades.firecrawlBatchStatusSchema,
    FirecrawlMapResponse: facades.firecrawlMapResponseSchema,
    FirecrawlDocument: facades.firecrawlDocumentSchema,
    FirecrawlError: facades.firecrawlErrorSchema,
    ReaderError: facades.readerErrorSchema,
    WebLoaderRequest: facades.webLoaderSchema(options),
    WebLoaderResponse: facades.webLoaderResponseSchema,
  };
}
