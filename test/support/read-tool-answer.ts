import assert from 'node:assert/strict';
import type { CallToolResult } from '@modelcontextprotocol/client';

/** Reads the answer of an MCP tool, which has every text once: facts as a line of JSON, an empty line, and `content`. */
export function readToolAnswer({ content, structuredContent }: CallToolResult): Readonly<Record<string, unknown>> {
  assert.equal(structuredContent, undefined);
  assert.equal(content.length, 1);
  const [block] = content;
  assert.ok(block?.type === 'text');
  const [facts = ''] = block.text.split('\n', 1);
  const text = block.text.slice(facts.length + '\n\n'.length);
  return { ...(JSON.parse(facts) as object), ...(text === '' ? {} : { content: text }) };
}
