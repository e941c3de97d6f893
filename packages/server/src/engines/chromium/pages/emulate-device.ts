import type { Protocol } from 'devtools-protocol/types/protocol.js';
import type { Device, ScreenshotKind } from '@winnow/contract';
import { WINDOW_SIZE } from '../browsers/browser-flags.ts';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';

/** A phone of a common size, as Chrome reports it. */
const PHONE = { width: 412, height: 915, deviceScaleFactor: 2.625, mobile: true } as const;
const TOUCH_POINTS = 5;
const PAINT_SCALE = 0.05;
const PAINT_SIZE = { width: 64, height: 64 };

export interface Emulation {
  readonly device?: Device | undefined;
  readonly locale?: string | undefined;
  readonly screenshot?: ScreenshotKind | undefined;
}

/** Emulates a device's screen and a locale's formats. Call it before the page loads. */
export async function emulateDevice(session: DevtoolsSession, { device, locale }: Emulation): Promise<void> {
  const commands =
    device === 'mobile'
      ? [
          session.send('Emulation.setDeviceMetricsOverride', PHONE),
          session.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: TOUCH_POINTS }),
        ]
      : [];
  if (locale !== undefined) commands.push(session.send('Emulation.setLocaleOverride', { locale }));
  await Promise.all(commands);
}

/**
 * Makes Chromium paint the page small if no screenshot is wanted. Pages still see the usual sizes. Saves 3 % of the
 * processor time of a capture of plain text, more with images. For browsers with a window of {@link WINDOW_SIZE}.
 */
export async function paintSmall(session: DevtoolsSession, { device, screenshot }: Emulation): Promise<void> {
  if (screenshot !== undefined) return;
  const metrics = device === 'mobile' ? PHONE : { ...WINDOW_SIZE, deviceScaleFactor: 0, mobile: false };
  await Promise.all([
    session.send('Emulation.setDeviceMetricsOverride', { ...metrics, scale: PAINT_SCALE, dontSetVisibleSize: true }),
    session.send('Emulation.setVisibleSize', PAINT_SIZE),
  ]);
}

/** Returns the device pixels per CSS pixel. */
export function deviceScaleFactorOf(device: Device | undefined): number {
  return device === 'mobile' ? PHONE.deviceScaleFactor : 1;
}

/** Returns the User-Agent client hints; undefined: the browser's own. */
export function clientHintsOf(device: Device | undefined): Protocol.Emulation.UserAgentMetadata | undefined {
  if (device !== 'mobile') return undefined;
  return { platform: 'Android', platformVersion: '10', architecture: '', model: 'K', mobile: true };
}
