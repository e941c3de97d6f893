import { setTimeout as sleep } from 'node:timers/promises';
import type { Protocol } from 'devtools-protocol/types/protocol.js';
import type { ConsentAction, ConsentDetails } from '@winnow/contract';
import { within } from '../../../domain/shared/within.ts';
import { answersConsent } from '../../../domain/request-options/page-options.ts';
import { DevtoolsError, type DevtoolsSession } from '../devtools/devtools-connection.ts';
import { consentScript, HAS_CONSENT_SCRIPT } from './consent-script.ts';

/** Longest wait for a known dialog: beside another one, until something of it is there, until it opens, until it is answered. */
const BESIDE_MS = 1000;
const DETECT_MS = 2000;
const OPEN_MS = 4000;
const ANSWER_MS = 12_000;
/** Share of the remaining time. */
const TIME_SHARE = 0.5;
/** Longest wait for an answered dialog to close. */
const CLOSE_MS = 3000;
const POLL_MS = 100;
const MAX_FRAMES = 20;
/** Of one call of the page's own scripts. */
const EVAL_MS = 1000;
const LOOK_MS = 2000;
/** Of the time for a picture. */
const LOOK_SHARE = 0.15;

type Outcome = ConsentDetails['outcome'];

export interface ConsentPage {
  readonly session: DevtoolsSession;
  readonly mainFrameId: string;
  /** Returns the context of a frame's isolated world. */
  createWorld(frameId: string): Promise<number>;
  url(): string;
  /** The response with which the document came. */
  document(): unknown;
  isFrozen(): boolean;
}

/** How far the answer in a frame is. */
interface FrameState {
  stage: 'looking' | 'detected' | 'open' | 'answered' | 'failed' | 'nothing';
  cmp: string | null;
}

interface Message {
  readonly type: string;
  readonly id?: string;
  readonly code?: string;
  readonly cmp?: string;
  readonly result?: boolean;
}

/** Handles the dialogs of one page that ask for consent, as its request wants. */
export class PageConsent {
  readonly #page: ConsentPage;
  readonly #action: ConsentAction;
  #isDone = false;
  #report: ConsentDetails | undefined;

  constructor(page: ConsentPage, action: ConsentAction = 'hide') {
    this.#page = page;
    this.#action = action;
  }

  /** Undefined if there was nothing to do. */
  get report(): ConsentDetails | undefined {
    return this.#report;
  }

  /** True once: a dialog is answered at most once a capture, so that none that comes back holds it. */
  get isDue(): boolean {
    return answersConsent(this.#action) && !this.#isDone;
  }

  /**
   * Answers a dialog, waits and looks again.
   * @param settle waits until the page is ready; returns false at the deadline
   */
  async answer(timeoutMs: number, settle: () => Promise<boolean>): Promise<boolean> {
    const before = addressOf(this.#page.url());
    this.skip();
    const until = performance.now() + timeoutMs * TIME_SHARE;
    const { outcome, cmp } = await this.#click(until);
    this.#note(outcome, cmp);
    if (outcome === 'answered') await this.#untilClosed(Math.min(until, performance.now() + CLOSE_MS));
    const isReady = await settle();
    if (outcome !== 'answered') return isReady;
    if (addressOf(this.#page.url()) !== before) this.#note('left', cmp);
    else if ((await this.#ask('isAsking()')) === true) this.#note('still_shown', cmp);
    return isReady;
  }

  /** Records that the page was not ready in time for an answer. */
  skip(): void {
    this.#isDone = true;
    this.#note('out_of_time', null);
  }

  /**
   * Takes a picture of the page without its dialogs. Scripts are stopped meanwhile, so that the page cannot put them
   * back, and the styles are restored.
   */
  async hideWhile<Result>(timeoutMs: number, take: () => Promise<Result>): Promise<Result> {
    if (this.#action === 'ignore') return take();
    const lookMs = Math.min(LOOK_MS, timeoutMs * LOOK_SHARE);
    const isAsking = await this.#ask('isAsking()', lookMs);
    if (isAsking !== true) {
      if (this.#action === 'hide') this.#note(isAsking === undefined ? 'out_of_time' : 'not_found', null);
      return take();
    }
    const lock = async (value: boolean): Promise<void> => {
      if (this.#page.isFrozen()) return;
      await this.#page.session.send('Emulation.setScriptExecutionDisabled', { value }).catch(() => {});
    };
    try {
      await lock(true);
      const found = (await this.#ask('hide()', lookMs)) as
        | { readonly hidden: number; readonly cmp: string | null }
        | undefined;
      if (this.#action === 'hide') this.#note(found === undefined ? 'failed' : 'hidden', found?.cmp ?? null);
      if (found !== undefined && this.#report !== undefined) this.#report = { ...this.#report, hidden: found.hidden };
      return await take();
    } finally {
      await this.#ask('restore()', lookMs);
      await lock(false);
    }
  }

  #note(outcome: Outcome, cmp: string | null): void {
    if (this.#action !== 'ignore') this.#report = { action: this.#action, outcome, cmp, hidden: 0 };
  }

  async #untilClosed(until: number): Promise<void> {
    const document = this.#page.document();
    while (performance.now() < until && this.#page.document() === document && (await this.#ask('isAsking()')) === true)
      await sleep(POLL_MS);
  }

  async #click(until: number): Promise<{ readonly outcome: Outcome; readonly cmp: string | null }> {
    const known = await this.#answerKnown(until);
    if (known?.stage === 'answered') return { outcome: 'answered', cmp: known.cmp };
    if ((await this.#ask(`click('${this.#action}')`)) === true) return { outcome: 'answered', cmp: known?.cmp ?? null };
    if (performance.now() >= until) return { outcome: 'out_of_time', cmp: known?.cmp ?? null };
    const isOpen = known?.stage === 'open' || known?.stage === 'failed' || (await this.#ask('isAsking()')) === true;
    return { outcome: isOpen ? 'failed' : 'not_found', cmp: known?.cmp ?? null };
  }

  /** Returns how far the answer came in the frame where it came furthest. */
  async #answerKnown(until: number): Promise<FrameState | undefined> {
    const start = performance.now();
    const document = this.#page.document();
    const frames = new Map<string, FrameState>();
    const stop = new AbortController();
    const find = (...stages: FrameState['stage'][]): FrameState | undefined =>
      [...frames.values()].find(({ stage }) => stages.includes(stage));
    const isPast = (ms: number): boolean => performance.now() - start >= ms;
    let hasLooked = false;
    try {
      while (performance.now() < until) {
        for (const frame of await this.#listFrames(until)) {
          if (frames.has(frame.id) || frames.size >= MAX_FRAMES) continue;
          const state: FrameState = { stage: 'looking', cmp: null };
          frames.set(frame.id, state);
          void this.#followFrame(frame, state, stop.signal);
        }
        if (find('answered', 'failed') || isPast(ANSWER_MS)) break;
        if (!find('open') && isPast(find('detected') ? OPEN_MS : DETECT_MS)) break;
        if (!find('open', 'detected', 'looking')) break;
        if (!hasLooked && isPast(BESIDE_MS)) {
          hasLooked = true;
          if (!find('open', 'detected') && (await this.#ask(`hasButton('${this.#action}')`)) === true) break;
        }
        await sleep(POLL_MS);
      }
    } finally {
      stop.abort();
    }
    const furthest = find('answered') ?? find('failed') ?? find('open') ?? find('detected');
    // Another document: the click was reported too late.
    return this.#page.document() === document ? furthest : { cmp: null, ...furthest, stage: 'answered' };
  }

  async #listFrames(until: number): Promise<Protocol.Page.Frame[]> {
    const asking = this.#page.session.send('Page.getFrameTree').catch(() => undefined);
    const tree = (await within(asking, until - performance.now()))?.frameTree;
    const collect = ({ frame, childFrames = [] }: Protocol.Page.FrameTree): Protocol.Page.Frame[] => [
      frame,
      ...childFrames.flatMap(collect),
    ];
    return tree === undefined ? [] : collect(tree);
  }

  async #followFrame(frame: Protocol.Page.Frame, state: FrameState, signal: AbortSignal): Promise<void> {
    const isMain = frame.id === this.#page.mainFrameId;
    try {
      const contextId = await this.#install(frame.id, frame.url, isMain);
      const config = {
        autoAction: this.#action === 'accept' ? 'optIn' : 'optOut',
        enablePrehide: false,
        enableCosmeticRules: false,
        detectRetries: 3,
        // Only for refusals: the library accepts nothing by itself.
        heuristicMode: this.#action === 'reject' ? 'reject' : 'off',
        logs: { errors: false },
      };
      await this.#evaluate(contextId, `__winnowConsent.start(${JSON.stringify(config)})`);
      while (!signal.aborted && !['answered', 'failed', 'nothing'].includes(state.stage)) {
        for (const message of (await this.#evaluate(contextId, '__winnowConsent.next()')) as Message[])
          await this.#receive(message, state, { contextId, isMain });
      }
    } catch {
      // An answer removes its frame or opens another document. A browser that is gone fails the capture elsewhere.
      state.stage = state.stage === 'looking' ? 'nothing' : 'answered';
    }
  }

  async #receive(
    { type, id = '', code = '', cmp = '', result }: Message,
    state: FrameState,
    { contextId, isMain }: { readonly contextId: number; readonly isMain: boolean },
  ): Promise<void> {
    if (type === 'eval') {
      const value = isMain && (await this.#evaluateAsPage(code));
      await this.#evaluate(contextId, `__winnowConsent.evaluated(${JSON.stringify(id)}, ${value})`);
      return;
    }
    if (type === 'report') state.stage = 'nothing';
    else {
      state.cmp = cmp.startsWith('HEURISTIC') ? null : cmp;
      if (type === 'cmpDetected') state.stage = 'detected';
      else if (type === 'popupFound') state.stage = 'open';
      else state.stage = result === true ? 'answered' : 'failed';
    }
  }

  /** Calls the interface of a known dialog, which only scripts of the page see. */
  async #evaluateAsPage(expression: string): Promise<boolean> {
    const params = { expression, awaitPromise: true, returnByValue: true, timeout: EVAL_MS };
    const asking = this.#page.session.send('Runtime.evaluate', params).catch(() => undefined);
    const answer = await within(asking, EVAL_MS);
    return answer !== undefined && answer.exceptionDetails === undefined && Boolean(answer.result.value);
  }

  /** Evaluates in the main frame. Undefined if it does not answer. */
  async #ask(call: string, timeoutMs = LOOK_MS): Promise<unknown> {
    const asking = this.#install(this.#page.mainFrameId, this.#page.url(), true).then((contextId) =>
      this.#evaluate(contextId, `__winnowConsent.${call}`),
    );
    return within(
      asking.catch(() => undefined),
      timeoutMs,
    );
  }

  async #install(frameId: string, url: string, isMain: boolean): Promise<number> {
    const contextId = await this.#page.createWorld(frameId);
    if ((await this.#evaluate(contextId, HAS_CONSENT_SCRIPT)) !== true)
      await this.#evaluate(contextId, consentScript(url, isMain));
    return contextId;
  }

  async #evaluate(contextId: number, expression: string): Promise<unknown> {
    const params = { expression, contextId, awaitPromise: true, returnByValue: true };
    const { result, exceptionDetails } = await this.#page.session.send('Runtime.evaluate', params);
    if (exceptionDetails !== undefined) throw new DevtoolsError('Runtime.evaluate', exceptionDetails.text);
    return result.value;
  }
}

function addressOf(url: string): string {
  return url.replace(/#.*/s, '');
}
