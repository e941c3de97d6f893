export * from './engines.ts';
export * from './errors.ts';
export * from './ids.ts';
export * from './limits.ts';
export * from './requests.ts';
export * from './responses.ts';
