/** Number of sites of the page server, from 127.0.0.1 upwards. */
export const SITES = 16;
