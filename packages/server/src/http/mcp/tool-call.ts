import type { AppError } from '../../domain/shared/errors.ts';
import type { Workflow } from '../../domain/shared/workflow.ts';

/** One call of a tool, as its transport carries it. */
export interface ToolCall {
  readonly projectId: string;
  readonly workflow: Workflow;
  /** Notes the accepted arguments, for the request log. */
  accept(tool: string, args: object): void;
  /** Runs work once there is a slot for it; the work hears how many milliseconds it has waited. */
  admit<T>(budgetMs: number, work: (waitedMs: number) => Promise<T>): Promise<T>;
  /** Hears of the error that the call is answered with. */
  fail(error: AppError): void;
}
