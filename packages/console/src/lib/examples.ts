/** Ready-to-paste requests. */
export interface CallTarget {
  readonly baseUrl: string;
  /** A key or its placeholder. */
  readonly key: string;
  /** Undefined with a standalone key. */
  readonly projectId: string | undefined;
}

export const KEY_PLACE = 'YOUR_KEY';

export type Endpoint = '/v1/extract' | '/v1/dom/dump';

export function writeCurl(target: CallTarget, endpoint: Endpoint, body: object): string {
  const headers = ['Content-Type: application/json', `X-API-Key: ${target.key}`];
  if (target.projectId !== undefined) headers.push(`X-Project-Id: ${target.projectId}`);
  const lines = [
    `curl -sS ${shellQuote(`${target.baseUrl}${endpoint}`)}`,
    ...headers.map((header) => `-H ${shellQuote(header)}`),
    `-d ${shellQuote(JSON.stringify(body))}`,
  ];
  return lines.join(' \\\n  ');
}

export function writeTypeScript(target: CallTarget, url: string): string {
  const options = [
    `  baseUrl: ${quote(target.baseUrl)},`,
    `  apiKey: ${quote(target.key)},`,
    ...(target.projectId === undefined ? [] : [`  projectId: ${quote(target.projectId)},`]),
  ];
  return `import { WinnowClient } from '@winnow/client';

const winnow = new WinnowClient({
${options.join('\n')}
});
const { result } = await winnow.extract({ extract: { url: ${quote(url)} } });
console.log(result.title, result.main_text);
`;
}

export function writePython(target: CallTarget, url: string): string {
  const headers = [
    `    "X-API-Key": ${quote(target.key, '"')},`,
    ...(target.projectId === undefined ? [] : [`    "X-Project-Id": ${quote(target.projectId, '"')},`]),
  ];
  return `import json
import urllib.request

headers = {
    "Content-Type": "application/json",
${headers.join('\n')}
}
body = json.dumps({"extract": {"url": ${quote(url, '"')}}}).encode()
request = urllib.request.Request(${quote(`${target.baseUrl}/v1/extract`, '"')}, body, headers)
with urllib.request.urlopen(request, timeout=60) as response:
    result = json.load(response)["result"]
print(result["title"], result["main_text"])
`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function quote(text: string, mark: '"' | "'" = "'"): string {
  const inner = JSON.stringify(text).slice(1, -1);
  return mark === '"' ? `"${inner}"` : `'${inner.replaceAll('\\"', '"').replaceAll("'", String.raw`\'`)}'`;
}
