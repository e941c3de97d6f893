import { within } from '../../../domain/shared/within.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';

const MAX_BYTES = 32 * 1024 * 1024;

interface ResourceTree {
  readonly resources: readonly { readonly contentSize?: number }[];
  readonly childFrames?: readonly ResourceTree[];
}

/**
 * Returns the page with its loaded resources as one MHTML file, which is ASCII; null when it is too large or too late.
 * The browser requests nothing for it.
 */
export async function takeMhtml(session: DevtoolsSession, timeoutMs: number): Promise<string | null> {
  const taking = take(session).catch(() => null);
  return (await within(taking, timeoutMs)) ?? null;
}

async function take(session: DevtoolsSession): Promise<string | null> {
  // Checked first, because the file arrives in one message.
  const { frameTree } = await session.send('Page.getResourceTree');
  if (sizeOf(frameTree) > MAX_BYTES) return null;
  const { data } = await session.send('Page.captureSnapshot', { format: 'mhtml' });
  return data.length > MAX_BYTES ? null : data;
}

/** Base64 takes four bytes for three. */
function sizeOf({ resources, childFrames = [] }: ResourceTree): number {
  const own = resources.reduce((sum, { contentSize = 0 }) => sum + Math.ceil(contentSize / 3) * 4, 0);
  return childFrames.reduce((sum, frame) => sum + sizeOf(frame), own);
}
