import { AppError, type AppErrorOptions } from '../shared/errors.ts';
import type { Capture, EngineAttempt } from './capture-ports.ts';
import type { ErrorCode } from '@winnow/contract';

export interface CaptureErrorOptions extends AppErrorOptions {
  /** Error or block page, stored for inspection. */
  readonly capture?: Capture;
  readonly attempts?: readonly EngineAttempt[];
}

export class CaptureError extends AppError {
  readonly capture: Capture | undefined;
  readonly attempts: readonly EngineAttempt[];

  constructor(code: ErrorCode, message: string, options: CaptureErrorOptions = {}) {
    super(code, message, options);
    this.name = 'CaptureError';
    this.capture = options.capture;
    this.attempts = options.attempts ?? [];
  }
}
