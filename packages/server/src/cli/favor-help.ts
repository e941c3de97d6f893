/** What `--favor` means, for the commands that extract. */
export const FAVOR_HELP = 'main text without what is not content (precision), or complete (recall)';
