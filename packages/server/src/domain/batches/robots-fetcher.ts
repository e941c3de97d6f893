import type { EnginePreference } from '@winnow/contract';
import { AppError } from '../errors.ts';
import type { Capture, CaptureRequest, Fetcher } from '../ports.ts';
import type { RobotsRules } from './batch-ports.ts';

/**
 * Fetches only what the sites' robots.txt lets robots fetch. A page that was redirected to a place which
 * may not be fetched is not kept either.
 */
export class RobotsFetcher implements Fetcher {
  readonly #fetcher: Fetcher;
  readonly #robots: RobotsRules;

  constructor(fetcher: Fetcher, robots: RobotsRules) {
    this.#fetcher = fetcher;
    this.#robots = robots;
  }

  async capture(preference: EnginePreference, request: CaptureRequest): Promise<Capture> {
    await this.#require(request.url, request);
    const capture = await this.#fetcher.capture(preference, request);
    const finalUrl = URL.parse(capture.finalUrl);
    if (finalUrl !== null && capture.redirects.length > 0) await this.#require(finalUrl, request);
    return capture;
  }

  async #require(url: URL, { signal, egress }: CaptureRequest): Promise<void> {
    const refusal = await this.#robots.refusal(url, signal, egress);
    if (refusal !== undefined) throw new AppError('robots_disallowed', `${url.origin}/robots.txt: ${refusal}`);
  }
}
