import { CONFIDENCE_CURVE } from './shipped-model.ts';

/**
 * Maps the expected F1 of the block probabilities to the F1 observed out of fold, by linear interpolation; see
 * `training/report.md`.
 */
export function calibrate(expected: number): number {
  const curve = CONFIDENCE_CURVE;
  let at = 1;
  while (at < curve.length - 1 && curve[at][0] < expected) at++;
  const [fromX, fromY] = curve[at - 1];
  const [toX, toY] = curve[at];
  const share = Math.min(1, Math.max(0, (expected - fromX) / (toX - fromX)));
  return fromY + share * (toY - fromY);
}
