import type { Protocol } from 'devtools-protocol/types/protocol.js';
import type { ScreenshotFormat, ScreenshotKind } from '@winnow/contract';
import { screenshotBytes, type Screenshot } from '../../../domain/storage/attachments.ts';
import { within } from '../../../domain/shared/within.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';

/** WebP has at most 16,383 pixels a side. */
const MAX_HEIGHT = 16_000;
const MAX_WIDTH = 2000;
const MAX_BYTES = 8 * 1024 * 1024;
/** PNG is lossless, so a limit on pixels bounds its size. */
const MAX_PNG_PIXELS = 12_000_000;

/** Tried in order until the picture is small enough. */
interface Try {
  readonly quality?: number;
  /** Fraction of the height. */
  readonly share: number;
}

const WEBP_TRIES: readonly Try[] = [
  { quality: 80, share: 1 },
  { quality: 40, share: 1 },
  { quality: 40, share: 0.5 },
  { quality: 30, share: 0.125 },
];

const PNG_TRIES: readonly Try[] = [{ share: 1 }, { share: 0.5 }, { share: 0.25 }, { share: 0.125 }];

interface Clip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ScreenshotOrder {
  readonly kind: ScreenshotKind;
  readonly format: ScreenshotFormat;
  /** Device pixels per CSS pixel; the picture has CSS pixels. */
  readonly deviceScaleFactor: number;
  readonly timeoutMs: number;
}

/** Returns a picture of the page; null when it could not be taken in time. */
export async function takeScreenshot(session: DevtoolsSession, order: ScreenshotOrder): Promise<Screenshot | null> {
  const taking = take(session, order).catch(() => null);
  return (await within(taking, order.timeoutMs)) ?? null;
}

async function take(
  session: DevtoolsSession,
  { kind, format, deviceScaleFactor }: ScreenshotOrder,
): Promise<Screenshot | null> {
  const { clip, isCut } = findClip(await session.send('Page.getLayoutMetrics'), { kind, format });
  if (clip.width < 1 || clip.height < 1) return null;
  for (const { quality, share } of format === 'png' ? PNG_TRIES : WEBP_TRIES) {
    const height = Math.max(1, Math.floor(clip.height * share));
    const { data: base64 } = await session.send('Page.captureScreenshot', {
      format,
      ...(quality === undefined ? {} : { quality }),
      captureBeyondViewport: kind === 'full_page',
      clip: { ...clip, height, scale: 1 / deviceScaleFactor },
    });
    if (screenshotBytes({ base64 }) > MAX_BYTES) continue;
    return { base64, mediaType: `image/${format}`, width: clip.width, height, isCut: isCut || share < 1 };
  }
  return null;
}

function findClip(
  { cssVisualViewport: screen, cssContentSize: page }: Protocol.Page.GetLayoutMetricsResponse,
  { kind, format }: Pick<ScreenshotOrder, 'kind' | 'format'>,
) {
  const whole: Clip =
    kind === 'viewport'
      ? { x: screen.pageX, y: screen.pageY, width: screen.clientWidth, height: screen.clientHeight }
      : { x: 0, y: 0, width: page.width, height: page.height };
  const width = Math.min(MAX_WIDTH, Math.floor(whole.width));
  const maxHeight = format === 'png' ? Math.min(MAX_HEIGHT, Math.floor(MAX_PNG_PIXELS / width)) : MAX_HEIGHT;
  const clip: Clip = { ...whole, width, height: Math.min(maxHeight, Math.floor(whole.height)) };
  return {
    clip,
    isCut: kind === 'full_page' && (clip.height < Math.floor(whole.height) || clip.width < Math.floor(whole.width)),
  };
}
