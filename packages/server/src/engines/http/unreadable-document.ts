import { AppError } from '../../domain/shared/errors.ts';

/** A received document that no engine can convert to a page. */
export class UnreadableDocument extends AppError {
  override readonly name = 'UnreadableDocument';
}
