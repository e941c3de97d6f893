import { ID_PREFIXES, REQUEST_ID_PATTERN } from '@winnow/contract';
import { newId } from '../domain/new-id.ts';

/** A fresh request id of our own. */
export function newRequestId(): string {
  return newId(ID_PREFIXES.request);
}

/** The inbound id when it is well-formed, otherwise one of our own. */
export function chooseRequestId(inbound: string | string[] | undefined): string {
  return typeof inbound === 'string' && REQUEST_ID_PATTERN.test(inbound) ? inbound : newRequestId();
}
