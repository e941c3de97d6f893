export const WARNING_CODES = [
  'login_wall',
  'paywall',
  'consent_wall',
  'soft_404',
  'challenge_page',
  'unrendered_shell',
  'near_empty_page',
  'waiting_room',
  'age_gate',
  'continues_on_scroll',
  'continues_on_click',
  'field_failed',
] as const;

/** What lists and headers show of an answer that succeeded: its warnings, and `partial` for a page that is not whole. */
export const DOUBT_CODES = [...WARNING_CODES, 'partial'] as const;
export type DoubtCode = (typeof DOUBT_CODES)[number];
