import type { Stage, StageDetails } from '@winnow/contract';
import type { AppError } from './errors.ts';
import type { Step, StepOf, Workflow } from './workflow.ts';

export function findStep<S extends Stage>(steps: readonly Step[], stage: S): StepOf<S> | undefined {
  return steps.find((step) => step.stage === stage) as StepOf<S> | undefined;
}

/** Returns the snapshot that a request stored or read. */
export function findDomId(steps: readonly Step[]): string | undefined {
  const step = findStep(steps, 'snapshot');
  return step?.status === 'ok' ? step.detail.dom_id : undefined;
}

/** Adds details to the step of an ended stage, and extends its time to now. */
export function extendStep<S extends Stage>(flow: Workflow, stage: S, detail: StageDetails[S]): void {
  const step = findStep(flow.steps, stage);
  if (step === undefined) return;
  flow.record({ ...step, elapsedMs: flow.elapsedMs() - step.startedMs, detail: { ...step.detail, ...detail } });
}

/**
 * Marks a stage as failed, even if it has ended (a match that the extraction proves wrong) or never began.
 * @returns the error, to be thrown
 */
export function failStep(flow: Workflow, stage: Stage, error: AppError): AppError {
  const step = findStep(flow.steps, stage) ?? { stage, startedMs: flow.elapsedMs(), elapsedMs: 0, detail: {} };
  const detail = { ...step.detail, error: error.code, message: error.message };
  flow.record({ ...step, status: 'failed', detail });
  return error;
}
