/** Why a page may not be the requested page. */
export type WarningCode =
  | 'login_wall'
  | 'paywall'
  | 'consent_wall'
  | 'soft_404'
  | 'challenge_page'
  | 'unrendered_shell'
  | 'near_empty_page'
  | 'waiting_room'
  | 'age_gate'
  | 'continues_on_scroll'
  | 'continues_on_click';

/** A reason to doubt an extraction that succeeded. */
export interface PageWarning {
  code: WarningCode;
  /** The reason, in English. */
  message: string;
}
