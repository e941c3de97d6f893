import { AppError } from '../../domain/errors.ts';

/** A response that came and that this client cannot read; one that forgives more, such as a browser, may. */
export class UnreadableResponse extends AppError {
  override readonly name = 'UnreadableResponse';
}
