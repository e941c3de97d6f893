import { formatPath } from '@winnow/contract';
import { AppError } from '../shared/errors.ts';

/**
 * Refuses U+0000 in any string or field name of a parsed body.
 * @param text the body as it came: one without the escape needs no further look
 * @throws {AppError} `invalid_request`, naming the JSON path
 */
export function refuseNulInBody(body: unknown, text: string): void {
  // JSON can only write it as an escape, which other escapes may look like.
  if (!text.includes('\\u0000')) return;
  const path = findNul(body);
  if (path !== undefined) throw nulIn(formatPath(path.steps, 'body'), path.position);
}

/** A value of the body, and the way to it. */
interface Node {
  readonly value: unknown;
  readonly step: PropertyKey | undefined;
  readonly parent: Node | undefined;
}

interface NulPlace {
  readonly steps: readonly PropertyKey[];
  /** Position in the string; undefined in the name of a field. */
  readonly position: number | undefined;
}

/** Steps of a path that a message names at most: a body may nest deeply. */
const MAX_STEPS = 20;

/** Depth-first, without recursion, in linear time. */
function findNul(root: unknown): NulPlace | undefined {
  const waiting: Node[] = [{ value: root, step: undefined, parent: undefined }];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    const { value } = node;
    if (typeof value === 'string') {
      if (value.includes('\0')) return { steps: pathTo(node), position: value.indexOf('\0') };
    } else if (Array.isArray(value)) {
      for (let step = value.length - 1; step >= 0; step -= 1) {
        waiting.push({ value: value[step] as unknown, step, parent: node });
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [step, item] of Object.entries(value).toReversed()) {
        if (step.includes('\0')) return { steps: pathTo(node), position: undefined };
        waiting.push({ value: item, step, parent: node });
      }
    }
  }
  return undefined;
}

function pathTo(node: Node): PropertyKey[] {
  const steps: PropertyKey[] = [];
  for (let at: Node | undefined = node; at?.step !== undefined; at = at.parent) steps.push(at.step);
  return steps.toReversed().slice(0, MAX_STEPS);
}

/** The error for U+0000 in a part of a request. */
export function nulIn(place: string, position?: number): AppError {
  const where = position === undefined ? '' : ` at position ${position}`;
  return new AppError('invalid_request', `${place}: contains the control character U+0000${where}`, {
    stage: 'request',
  });
}
