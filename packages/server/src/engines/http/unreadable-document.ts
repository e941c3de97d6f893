import { AppError } from '../../domain/shared/errors.ts';

/** A document that came and of which no page can be made: no other engine does better. */
export class UnreadableDocument extends AppError {
  override readonly name = 'UnreadableDocument';
}
