import type { Batch, BatchWebhooks } from '../../domain/batches/batch-ports.ts';
import { SqlRepository } from '../queries/sql-repository.ts';
import { hasNothingLeft } from './batch-queue.ts';
import { toBatch } from './batch-repository.ts';

/** Due webhooks read at a time. */
const DUE_ROWS = 500;

/** Webhooks of ended batches, stored in columns of `batches`. */
export class SqlBatchWebhooks extends SqlRepository implements BatchWebhooks {
  async claimDue(now: Date, until: Date, mayCall: (url: string) => boolean): Promise<Batch | undefined> {
    const due = this.db
      .selectFrom('batches')
      .select(['id', 'webhook_url'])
      .where('webhook_next', '<=', now.getTime())
      // A cancelled batch is reported once its last item has ended.
      .where(hasNothingLeft)
      .orderBy('webhook_next')
      .orderBy('id')
      .limit(DUE_ROWS);
    for (let offset = 0; ; offset += DUE_ROWS) {
      const rows = await due.offset(offset).execute();
      for (const { id, webhook_url: url } of rows) {
        if (url === null || !mayCall(url)) continue;
        const claimed = await this.#claimDueOf(id, now, until);
        if (claimed !== undefined) return claimed;
      }
      if (rows.length < DUE_ROWS) return undefined;
    }
  }

  async noteCall(id: string, delivered: boolean, retryAt: Date | null): Promise<void> {
    const state = delivered ? 'delivered' : retryAt === null ? 'failed' : 'waiting';
    await this.db
      .updateTable('batches')
      .set({ webhook_state: state, webhook_next: delivered ? null : (retryAt?.getTime() ?? null) })
      .where('id', '=', id)
      .execute();
  }

  /** Returns undefined if another node claimed it first. */
  async #claimDueOf(id: string, now: Date, until: Date): Promise<Batch | undefined> {
    const row = await this.db
      .updateTable('batches')
      .set((build) => ({ webhook_next: until.getTime(), webhook_attempts: build('webhook_attempts', '+', 1) }))
      .where('id', '=', id)
      .where('webhook_next', '<=', now.getTime())
      .returningAll()
      .executeTakeFirst();
    return row && toBatch(row);
  }
}
