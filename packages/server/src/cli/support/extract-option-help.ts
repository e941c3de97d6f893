/** What `--favor` means, for the commands that extract. */
export const FAVOR_HELP = 'main text without what is not content (precision), or complete (recall)';

/** What `--hidden-text` means, for the same commands. */
export const HIDDEN_TEXT_HELP = 'what becomes of text that the page hides';
