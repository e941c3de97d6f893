import { writeSamples, type CodeSample, type SampleTarget } from '@winnow/contract/code-samples';

export const KEY_PLACE = 'YOUR_KEY';

const METHODS = { '/v1/extract': 'extract', '/v1/dom/dump': 'dump' } as const;

/** A request in curl, Python and TypeScript, ready to paste. */
export function writeCalls(target: SampleTarget, endpoint: keyof typeof METHODS, body: object): CodeSample[] {
  return writeSamples(
    { method: 'POST', path: endpoint, client: METHODS[endpoint], example: body, response: {} },
    target,
  );
}

export function writeCurl(target: SampleTarget, endpoint: keyof typeof METHODS, body: object): string {
  return writeCalls(target, endpoint, body)[0]?.source ?? '';
}
