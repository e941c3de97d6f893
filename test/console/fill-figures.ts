import { join } from 'node:path';
import { addLatency, createHistogram } from '../../packages/server/src/domain/metrics/latency-histogram.ts';
import { SPANS } from '../../packages/server/src/domain/metrics/ports.ts';
import type { CountSample, GaugeSample, RequestSpan } from '../../packages/server/src/domain/metrics/ports.ts';
import { openStore } from '../../packages/server/src/store/open-store.ts';

const STEP_SECONDS = 900;
const STEPS = 96;

type Kind = Pick<RequestSpan, 'code' | 'stage' | 'engine'> & { readonly share: number; readonly latencyMs: number };

/** Outcomes of the invented day's requests, with typical latencies. */
const KINDS: readonly Kind[] = [
  { code: 'ok', stage: null, engine: 'http', share: 0.7, latencyMs: 210 },
  { code: 'ok', stage: null, engine: 'stable', share: 0.22, latencyMs: 1900 },
  { code: 'ok', stage: null, engine: 'vendor_dom', share: 0.04, latencyMs: 1300 },
  { code: 'http_status_not_ok', stage: 'fetch', engine: null, share: 0.022, latencyMs: 240 },
  { code: 'fetch_timeout', stage: 'fetch', engine: null, share: 0.012, latencyMs: 4000 },
  { code: 'fetch_blocked', stage: 'fetch', engine: null, share: 0.006, latencyMs: 600 },
  { code: 'no_template_matched', stage: 'match', engine: null, share: 0.003, latencyMs: 260 },
];

interface Figured {
  readonly projectId: string;
  /** Name of a version, `tpl_…:v1`. */
  readonly template: string;
}

const DAYS = 28;

function daysAgo(days: number): Date {
  return new Date(Date.now() - days * 86_400_000);
}

/**
 * Adds the figures of an invented day for the charts of the overview: quiet nights and a busy noon, the same in
 * every run. A template gets four weeks of served pages.
 * @param folder data folder of a running service
 */
export async function fillFigures(folder: string, { projectId, template }: Figured): Promise<void> {
  const store = await openStore({ location: { sqliteFile: join(folder, 'winnow.db') }, onError: () => undefined });
  try {
    const storage = (await store.metrics.measureStorage()).find((one) => one.projectId === projectId);
    const end = Math.floor(Date.now() / 1000 / STEP_SECONDS) * STEP_SECONDS;
    const steps = Array.from({ length: STEPS }, (_, index) => ({ index, at: end - (STEPS - index) * STEP_SECONDS }));
    await store.metrics.putSpans(steps.flatMap(({ index, at }) => spansOf(index, at, projectId)));
    await store.metrics.addSamples(steps.flatMap(({ index, at }) => samplesOf(index, at)));
    await store.metrics.addSamples(
      steps.map(({ index, at }) => {
        const value = Math.round(((storage?.storedBytes ?? 0) * (STEPS + index)) / (2 * STEPS));
        return { at, name: 'stored_bytes', projectId, value } as const;
      }),
    );
    await store.metrics.addCounts(steps.flatMap(({ index, at }) => countsOf(index, at, projectId)));
    const [id = '', version] = template.split(':v');
    for (const [day, at] of Array.from({ length: DAYS }, (_, back) => [back, daysAgo(back + 1)] as const)) {
      const served = Math.round(140 * loadAt(4 * day + 24));
      const filled = { pages: 140, fields: { title: 140, author: 133 }, usual: ['title'] };
      const health = { served, failed: day % 9 === 0 ? 6 : 1, drift: 0, filled };
      await store.siteTemplates.addHealth({ id, version: Number(version) }, health, at);
    }
  } finally {
    await store.close();
  }
}

/** From 0.2 to 1 over the day, with a little deterministic noise. */
function loadAt(index: number): number {
  const day = 0.6 - 0.4 * Math.cos((2 * Math.PI * index) / STEPS);
  return day * (0.88 + 0.12 * Math.sin(index * 12.9898) * Math.cos(index * 4.1414));
}

function spansOf(index: number, at: number, projectId: string): RequestSpan[] {
  const requests = 240 * loadAt(index);
  return KINDS.flatMap(({ share, latencyMs, ...kind }, place) => {
    const count = Math.round(requests * share + 0.5 * Math.sin(index * (place + 1)));
    if (count <= 0) return [];
    const histogram = createHistogram();
    for (let each = 0; each < count; each += 1) addLatency(histogram, latencyMs * (0.6 + (1.6 * each) / count));
    return [{ spanSeconds: SPANS.minute, at, projectId, ...kind, count, histogram }];
  });
}

function countsOf(index: number, at: number, projectId: string): CountSample[] {
  const count = (name: CountSample['name'], value: number): CountSample => ({ at, name, projectId, value });
  // A batch at night, and a short one at noon.
  const items = (index > 8 && index < 30) || (index > 50 && index < 56) ? Math.round(420 + 60 * Math.sin(index)) : 0;
  const pages = Math.round(220 * loadAt(index)) + items;
  const doubtful = Math.round(pages * (0.05 + 0.03 * Math.sin(index / 9)));
  return [
    count('items', items),
    count('items_failed', Math.round(items * 0.03)),
    count('pages', pages),
    count('confidence', pages * (0.86 + 0.04 * Math.sin(index / 7))),
    count('pages_doubtful', doubtful),
    count('warning paywall', Math.round(doubtful * 0.6)),
    count('warning login_wall', Math.round(doubtful * 0.3)),
  ];
}

function samplesOf(index: number, at: number): GaugeSample[] {
  const busy = Math.round(3 * loadAt(index));
  const sample = (name: GaugeSample['name'], value: number): GaugeSample => ({ at, name, projectId: null, value });
  return [
    sample('browsers_running', Math.min(2, busy)),
    sample('browsers_busy', busy),
    sample('browsers_waiting', Math.max(0, busy - 2)),
  ];
}
