import { formatPath } from '@winnow/contract/validation';
import { AppError } from '../shared/errors.ts';

/**
 * @param text the unparsed body, for a fast exit
 * @throws {AppError} `invalid_request`, naming the JSON path
 */
export function refuseNulInBody(body: unknown, text: string): void {
  // A match may also be an escaped backslash.
  if (!text.includes('\\u0000')) return;
  const path = findNul(body);
  if (path !== undefined) throw nulIn(formatPath(path.steps, 'body'), path.position);
}

interface Node {
  readonly value: unknown;
  readonly step: PropertyKey | undefined;
  readonly parent: Node | undefined;
}

interface NulPlace {
  readonly steps: readonly PropertyKey[];
  /** Undefined for field names. */
  readonly position: number | undefined;
}

const MAX_STEPS = 20;

/** Searches without recursion, since bodies nest deeply. */
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

export function nulIn(place: string, position?: number): AppError {
  const where = position === undefined ? '' : ` at position ${position}`;
  return new AppError('invalid_request', `${place}: contains the control character U+0000${where}`, {
    stage: 'request',
  });
}
