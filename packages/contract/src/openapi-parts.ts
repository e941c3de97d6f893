/** Small parts of the OpenAPI document that all its paths use. */
import { HEADERS } from './ids.ts';

export type Json = Record<string, unknown>;

export function describeResponse(description: string, schema: string): Json {
  return { description, headers: requestIdHeader(), content: jsonOf(schema) };
}

export function requestIdHeader(): Json {
  return { [HEADERS.requestId]: { $ref: '#/components/headers/RequestId' } };
}

export function jsonOf(schema: string): Json {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } };
}
