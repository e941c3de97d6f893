export declare const REPOSITORY_PAGES: Readonly<Record<string, string>>;
export declare function resolveInSite(link: string, file: string): string | undefined;
