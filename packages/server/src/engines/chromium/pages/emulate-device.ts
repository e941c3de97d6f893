import type { Protocol } from 'devtools-protocol/types/protocol.js';
import type { Device } from '@winnow/contract';
import type { DevtoolsSession } from '../devtools/devtools-connection.ts';

/** A phone of a common size, as Chrome reports it. */
const PHONE = { width: 412, height: 915, deviceScaleFactor: 2.625, mobile: true } as const;
const TOUCH_POINTS = 5;

export interface Emulation {
  readonly device?: Device | undefined;
  readonly locale?: string | undefined;
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

/** Returns the device pixels per CSS pixel. */
export function deviceScaleFactorOf(device: Device | undefined): number {
  return device === 'mobile' ? PHONE.deviceScaleFactor : 1;
}

/** Returns the User-Agent client hints; undefined: the browser's own. */
export function clientHintsOf(device: Device | undefined): Protocol.Emulation.UserAgentMetadata | undefined {
  if (device !== 'mobile') return undefined;
  return { platform: 'Android', platformVersion: '10', architecture: '', model: 'K', mobile: true };
}
