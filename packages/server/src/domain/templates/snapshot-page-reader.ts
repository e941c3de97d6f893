import type { SnapshotContent, SnapshotRepository } from '../storage/snapshot-ports.ts';
import type { LearningPage, PageReader, SeenPage } from './template-ports.ts';

export class SnapshotPageReader implements PageReader {
  readonly #snapshots: SnapshotRepository;
  readonly #content: SnapshotContent;

  constructor(snapshots: SnapshotRepository, content: SnapshotContent) {
    this.#snapshots = snapshots;
    this.#content = content;
  }

  async read({ projectId, domId }: Pick<SeenPage, 'projectId' | 'domId'>): Promise<LearningPage | undefined> {
    const row = await this.#snapshots.find(projectId, domId);
    const html = row && (await this.#content.get(row.hash));
    if (row === undefined || html === undefined) return undefined;
    return {
      html,
      url: row.finalUrl,
      ...(row.contentLanguage === null ? {} : { contentLanguage: row.contentLanguage }),
    };
  }
}
