import { z } from 'zod';
import { WARNING_CODES } from '../shared/warning-codes.ts';
import { described, text, documented } from './described.ts';

export const warningSchema = documented('Warning', 'A reason to doubt an answer that succeeded.', {
  code: described(
    z.enum(WARNING_CODES),
    'What the page seems to be: it asks for a login, is cut off for subscribers, asks for consent to cookies, does not exist or is out of order (soft_404; up to 500 characters count as no text), asks for proof that a human is reading or refuses access (challenge_page), is an application whose scripts have not run (unrendered_shell), has next to no content (near_empty_page), is a queue before the page (waiting_room), or asks for the age of the reader (age_gate); or that the page has more content: it loads more as it is scrolled (continues_on_scroll) or by a button (continues_on_click). field_failed: a requested field could not be read.',
    'soft_404',
  ),
  message: text('What was seen, for people; its wording may change.', 'the page says that it does not exist'),
});
