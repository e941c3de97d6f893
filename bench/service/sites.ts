/** Sites that the pages' process serves, at 127.0.0.1 and the addresses after it. */
export const SITES = 16;
