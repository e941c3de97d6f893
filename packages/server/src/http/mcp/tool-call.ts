import type { AppError } from '../../domain/shared/errors.ts';
import type { Workflow } from '../../domain/shared/workflow.ts';

/** A call of a tool, independent of the transport. */
export interface ToolCall {
  readonly projectId: string;
  readonly workflow: Workflow;
  /** Records the accepted arguments for the request log. */
  accept(tool: string, args: object): void;
  /** Runs work in a slot, and passes it the wait in milliseconds. */
  admit<T>(budgetMs: number, work: (waitedMs: number) => Promise<T>): Promise<T>;
  /** Records and logs the error. */
  fail(error: AppError): void;
}
