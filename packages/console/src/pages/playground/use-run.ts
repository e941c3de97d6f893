import type { DumpResponse, ExtractResponse } from '@winnow/client';
import { useQueryClient } from '@tanstack/react-query';
import { withScheme } from '@winnow/contract/with-scheme';
import { useEffect, useRef, useState } from 'react';
import { admin } from '../../lib/admin.ts';
import { noticeSession } from '../../lib/session.tsx';
import { toDumpRequest, toExtractRequest, type Order } from './order.ts';

export type Outcome =
  | { readonly kind: 'none' }
  | { readonly kind: 'running'; readonly what: string }
  | { readonly kind: 'extracted'; readonly answer: ExtractResponse }
  | { readonly kind: 'dumped'; readonly answer: DumpResponse }
  | { readonly kind: 'failed'; readonly error: unknown; readonly during: FlowStep };

/** Steps of the recommended flow. */
export type FlowStep = 'extract' | 'trace' | 'dump' | 'from-snapshot';

/** Outcome of each tried step for the current page. */
export type History = Partial<Record<FlowStep, 'ok' | 'failed'>>;

export interface Run {
  readonly outcome: Outcome;
  readonly history: History;
  /** Snapshot of the last calls. */
  readonly domId: string | undefined;
  readonly extract: (order: Order) => Promise<void>;
  /** Runs one step after a failure. */
  readonly follow: (order: Order, step: FlowStep) => Promise<void>;
  readonly stop: () => void;
}

/** The last answer, for the way back to the page. */
interface Kept extends Pick<Run, 'outcome' | 'history' | 'domId'> {
  readonly order: string;
}

const RUN_KEY = 'playground-run';

const NOTHING: Omit<Kept, 'order'> = { outcome: { kind: 'none' }, history: {}, domId: undefined };

/**
 * Calls for one project; running calls are aborted when the page is left.
 * @param first the form that the page opens with: the answer to it is shown again
 */
export function useRun(projectId: string, first: Order): Run {
  const client = useQueryClient();
  const [{ outcome: keptOutcome, history: keptHistory, domId: keptId }] = useState(() => {
    const kept = client.getQueryData<Kept>([RUN_KEY, projectId]);
    return kept?.order === JSON.stringify(first) ? kept : NOTHING;
  });
  const [outcome, setOutcome] = useState<Outcome>(keptOutcome);
  const [history, setHistory] = useState<History>(keptHistory);
  const [domId, setDomId] = useState<string | undefined>(keptId);
  const controller = useRef<AbortController>(undefined);
  useEffect(() => () => controller.current?.abort(), []);
  const [asked, setAsked] = useState(first);
  useEffect(() => {
    if (outcome.kind === 'none' || outcome.kind === 'running') return;
    client.setQueryDefaults([RUN_KEY], { gcTime: Infinity });
    client.setQueryData<Kept>([RUN_KEY, projectId], { outcome, history, domId, order: JSON.stringify(asked) });
  }, [client, projectId, outcome, history, domId, asked]);

  const attempt = async (
    step: FlowStep,
    isTraced: boolean,
    what: string,
    call: (signal: AbortSignal) => Promise<Outcome>,
  ): Promise<void> => {
    controller.current?.abort();
    const current = new AbortController();
    controller.current = current;
    setOutcome({ kind: 'running', what });
    const note = (result: 'ok' | 'failed') =>
      setHistory((before) => ({ ...before, [step]: result, ...(isTraced && { trace: result }) }));
    try {
      const next = await call(current.signal);
      if (next.kind === 'dumped') setDomId(next.answer.dom_id);
      if (next.kind === 'extracted') setDomId(next.answer.metadata.dom_id);
      note('ok');
      setOutcome(next);
    } catch (error) {
      if (current.signal.aborted) {
        if (controller.current === current) setOutcome({ kind: 'none' });
        return;
      }
      noticeSession(client, error);
      const left = readDomId(error);
      if (left !== undefined) setDomId(left);
      note('failed');
      setOutcome({ kind: 'failed', error, during: step });
    }
  };

  const extractFrom = async (order: Order, signal: AbortSignal, from?: string): Promise<Outcome> => {
    const answer = await admin.extract(projectId, toExtractRequest(order, from), { signal, ...reuse(order) });
    return { kind: 'extracted', answer };
  };
  const dump = async (order: Order, signal: AbortSignal): Promise<Outcome> => ({
    kind: 'dumped',
    answer: await admin.dump(projectId, toDumpRequest(order), { signal, ...reuse(order) }),
  });

  const follow = async (order: Order, step: FlowStep): Promise<void> => {
    setAsked(order);
    if (step === 'from-snapshot')
      return attempt(step, false, 'Extracting from the snapshot', (signal) => extractFrom(order, signal, domId));
    if (step === 'extract' || toTarget(order) !== toTarget(asked)) {
      setHistory({});
      setDomId(order.source === 'snapshot' ? order.domId : undefined);
    }
    if (step === 'dump') return attempt(step, false, 'Capturing the page', (signal) => dump(order, signal));
    const traced = step === 'trace' ? { ...order, trace: { ...order.trace, include_steps: true } } : order;
    const isTraced = traced.trace.include_steps === true;
    return attempt(step, isTraced, 'Fetching and extracting', (signal) => extractFrom(traced, signal));
  };

  return {
    outcome,
    history,
    domId,
    follow,
    extract: (order) => follow(order, 'extract'),
    stop: () => controller.current?.abort(),
  };
}

function reuse({ source, cacheControl }: Order): { cacheControl?: string } {
  return source === 'snapshot' || cacheControl === '' ? {} : { cacheControl };
}

/** The page or snapshot that the steps are about. */
function toTarget({ source, url, domId }: Order): string {
  return source === 'snapshot' ? domId : withScheme(url);
}

function readDomId(error: unknown): string | undefined {
  return error instanceof Error && 'domId' in error && typeof error.domId === 'string' ? error.domId : undefined;
}
