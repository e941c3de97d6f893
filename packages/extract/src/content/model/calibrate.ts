import { CONFIDENCE_CURVE } from './shipped-model.ts';

/**
 * Turns the expected F1 that the block probabilities imply into the one that pages show: straight lines
 * between the points of a curve fitted out of fold, see `training/report.md`.
 */
export function calibrate(expected: number): number {
  const curve = CONFIDENCE_CURVE;
  let at = 1;
  while (at < curve.length - 1 && curve[at]![0] < expected) at++;
  const [fromX, fromY] = curve[at - 1]!;
  const [toX, toY] = curve[at]!;
  const share = Math.min(1, Math.max(0, (expected - fromX) / (toX - fromX)));
  return fromY + share * (toY - fromY);
}
