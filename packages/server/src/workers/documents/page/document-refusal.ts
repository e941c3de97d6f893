import type { ErrorCode } from '@winnow/contract';

/** Why a document cannot be converted; code and message leave the thread as data. */
export class DocumentRefusal extends Error {
  override readonly name = 'DocumentRefusal';
  readonly code: Extract<ErrorCode, 'unsupported_content' | 'response_too_large'>;

  constructor(code: DocumentRefusal['code'], message: string) {
    super(message);
    this.code = code;
  }
}
