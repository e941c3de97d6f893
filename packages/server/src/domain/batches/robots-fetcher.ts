import type { EnginePreference } from '@winnow/contract';
import { CaptureError } from '../capture/capture-error.ts';
import { AppError } from '../shared/errors.ts';
import type { Capture, CaptureRequest, Fetcher } from '../capture/capture-ports.ts';
import type { RobotsRules } from './batch-ports.ts';

/** Checks requested and final URLs against robots.txt. */
export class RobotsFetcher implements Fetcher {
  readonly #fetcher: Fetcher;
  readonly #robots: RobotsRules;

  constructor(fetcher: Fetcher, robots: RobotsRules) {
    this.#fetcher = fetcher;
    this.#robots = robots;
  }

  async capture(preference: EnginePreference, request: CaptureRequest): Promise<Capture> {
    await this.#require(request.url, request);
    try {
      const capture = await this.#fetcher.capture(preference, request);
      await this.#requireFinal(capture, request);
      return capture;
    } catch (error) {
      if (error instanceof CaptureError && error.capture) await this.#requireFinal(error.capture, request);
      throw error;
    }
  }

  /** Scripts and `<meta http-equiv=refresh>` navigate without a redirect. */
  async #requireFinal({ finalUrl }: Capture, request: CaptureRequest): Promise<void> {
    const url = URL.parse(finalUrl);
    if (url !== null && withoutFragment(url) !== withoutFragment(request.url)) await this.#require(url, request);
  }

  async #require(url: URL, { signal, egress }: CaptureRequest): Promise<void> {
    const refusal = await this.#robots.refusal(url, signal, egress);
    if (refusal !== undefined) throw new AppError('robots_disallowed', `${url.origin}/robots.txt: ${refusal}`);
  }
}

function withoutFragment(url: URL): string {
  const copy = new URL(url);
  copy.hash = '';
  return copy.href;
}
