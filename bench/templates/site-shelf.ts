import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageRun } from './run-site.ts';

/** The pages of one site: while it stays as it is, and through a change of its markup. */
export interface SiteRuns {
  readonly steady: readonly PageRun[];
  readonly changing: readonly PageRun[];
}

/** What a run measures; results of one plan must not be mixed with another's. */
export interface Plan {
  readonly sites: number;
  readonly pages: number;
  readonly seed: number;
  readonly steady: boolean;
  readonly changing: boolean;
}

/** Finished sites in a folder, a file each, so that a long run can be made in parts. */
export class SiteShelf {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws {Error} when the folder holds the results of another plan */
  static async open(folder: string, plan: Plan): Promise<SiteShelf> {
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'plan.json');
    const text = JSON.stringify(plan);
    if (!existsSync(file)) await writeFile(file, text);
    const known = await readFile(file, 'utf8');
    if (known !== text) throw new Error(`${folder} holds the results of another plan: ${known}`);
    return new SiteShelf(folder);
  }

  has(host: string): boolean {
    return existsSync(this.#locate(host));
  }

  async put(host: string, runs: SiteRuns): Promise<void> {
    const file = this.#locate(host);
    await writeFile(`${file}.part`, JSON.stringify(runs));
    await rename(`${file}.part`, file);
  }

  /** What is there of the hosts, in their order. */
  async readAll(hosts: readonly string[]): Promise<SiteRuns[]> {
    const there = hosts.filter((host) => this.has(host));
    return Promise.all(there.map(async (host) => JSON.parse(await readFile(this.#locate(host), 'utf8')) as SiteRuns));
  }

  #locate(host: string): string {
    return join(this.#folder, `${host}.json`);
  }
}
