export * from './engines.ts';
export * from './errors.ts';
