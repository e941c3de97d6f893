import { ID_PREFIXES, REQUEST_ID_PATTERN } from '@winnow/contract';
import { newId } from '../../domain/shared/new-id.ts';

/** The caller's id if well-formed, otherwise a new one. */
export function chooseRequestId(inbound: string | string[] | undefined): string {
  return typeof inbound === 'string' && REQUEST_ID_PATTERN.test(inbound) ? inbound : newId(ID_PREFIXES.request);
}
