export const FAVOR_HELP = 'precision: main text without other content; recall: complete main text';

export const HIDDEN_TEXT_HELP = 'what to do with text that the page hides';
