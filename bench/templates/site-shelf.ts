import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PageRun } from './run-site.ts';

/** The page runs of one site with unchanged markup, and with markup that changes half-way. */
export interface SiteRuns {
  readonly steady: readonly PageRun[];
  readonly changing: readonly PageRun[];
}

/** Parameters of a run; results of different plans must not be mixed. */
export interface Plan {
  readonly sites: number;
  readonly pages: number;
  readonly seed: number;
  readonly steady: boolean;
  readonly changing: boolean;
}

/** Stores each finished site in a file, so that a long run can be divided into parts. */
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

  /** Returns the stored runs of the hosts, in their order. */
  async readAll(hosts: readonly string[]): Promise<SiteRuns[]> {
    const there = hosts.filter((host) => this.has(host));
    return Promise.all(there.map(async (host) => JSON.parse(await readFile(this.#locate(host), 'utf8')) as SiteRuns));
  }

  #locate(host: string): string {
    return join(this.#folder, `${host}.json`);
  }
}
