import { useSyncExternalStore } from 'react';
import { formatRecent, formatTime } from '../../lib/format.ts';

const STEP_MS = 10_000;

interface TimeProps {
  readonly iso: string | null;
  /** Instead of a missing time. */
  readonly absent?: string;
}

/** How long ago a recent time was, else the time; the exact one is in its tooltip. */
export function Time({ iso, absent = '–' }: TimeProps) {
  const now = useSyncExternalStore(subscribe, readClock);
  if (iso === null) return absent;
  const exact = formatTime(iso);
  return (
    <time dateTime={iso} title={exact}>
      {formatRecent(iso, now) ?? exact}
    </time>
  );
}

/** The same for all readers between two steps. */
function readClock(): number {
  return Math.floor(Date.now() / STEP_MS) * STEP_MS;
}

function subscribe(listener: () => void): () => void {
  const timer = setInterval(listener, STEP_MS);
  return () => clearInterval(timer);
}
