import { ID_PREFIXES, REQUEST_ID_PATTERN } from '@winnow/contract';
import { newId } from '../../domain/ids/new-id.ts';

/** The inbound id when it is well-formed, otherwise a fresh one of our own. */
export function chooseRequestId(inbound: string | string[] | undefined): string {
  return typeof inbound === 'string' && REQUEST_ID_PATTERN.test(inbound) ? inbound : newId(ID_PREFIXES.request);
}
