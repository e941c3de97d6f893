import { ID_PREFIXES } from '@winnow/contract';
import type { EnginePreference } from '@winnow/contract';
import type { CaptureOptions } from '../request-options/capture-options.ts';
import { isOrdinaryCapture } from '../request-options/capture-options.ts';
import type { OfferedOptions } from '../request-options/check-page-options.ts';
import { describeOptions } from '../request-options/describe-options.ts';
import { reuseKeyOf } from './reuse-snapshot.ts';
import { CaptureError } from './capture-error.ts';
import { AppError } from '../shared/errors.ts';
import { findTitle } from '../storage/find-title.ts';
import { newId } from '../ids/new-id.ts';
import type { Capture, Fetcher, HtmlFilter, ProjectEgress } from './capture-ports.ts';
import { screenshotBytes } from '../shared/screenshot.ts';
import type { SnapshotContent, SnapshotRepository, SnapshotRow, StoredScreenshot } from '../storage/snapshot-ports.ts';
import type { StorageQuota } from '../storage/storage-ports.ts';
import type { Workflow } from '../shared/workflow.ts';

export interface CapturePageDeps extends OfferedOptions {
  readonly fetcher: Fetcher;
  readonly snapshots: Pick<SnapshotRepository, 'insert' | 'find' | 'findReusable'>;
  readonly content: Pick<SnapshotContent, 'put' | 'get'>;
  readonly filter: HtmlFilter;
  /** By project id. */
  readonly projectEgress: ReadonlyMap<string, ProjectEgress>;
  readonly storage: StorageQuota;
}

export interface CaptureCommand {
  readonly projectId: string;
  readonly givenUrl: string;
  readonly url: URL;
  readonly preference: EnginePreference;
  readonly timeoutMs: number;
  readonly filterScriptsStyles: boolean;
  /** Upstream proxy. Default: the project's or the deployment's. */
  readonly proxy?: string | undefined;
  readonly options: CaptureOptions;
}

export interface CapturedPage {
  readonly row: SnapshotRow;
  readonly html: string;
  readonly capture: Capture;
}

/** Engines normally end by themselves at the deadline. */
const ENGINE_GRACE_MS = 3000;

/** Far above the usual duration. */
const SNAPSHOT_LIMIT = { timeoutMs: 15_000, timeoutCode: 'overloaded' } as const;

export interface PageUnderway {
  readonly domId: string;
  readonly capture: Capture;
  readonly stored: Promise<CapturedPage>;
}

export async function capturePage(
  deps: CapturePageDeps,
  command: CaptureCommand,
  flow: Workflow,
): Promise<CapturedPage> {
  const { stored } = await beginCapture(deps, command, flow);
  return stored;
}

/** Starts storing, so that later stages overlap the write. Pages of failures are stored before the error is thrown. */
export async function beginCapture(
  deps: CapturePageDeps,
  command: CaptureCommand,
  flow: Workflow,
): Promise<PageUnderway> {
  await requireRoom(deps.storage, command.projectId, flow);
  let capture: Capture;
  try {
    capture = await fetchPage(deps, command, flow);
  } catch (error) {
    // Its own step reports a storage failure.
    if (error instanceof CaptureError && error.capture)
      await startStoring(deps, command, error.capture, flow, null).stored.catch(() => undefined);
    throw error;
  }
  return startStoring(deps, command, capture, flow, capture.partial ? null : (reuseKeyOf(command) ?? null));
}

/** Checks the quota before the fetch, which would be wasted. */
export async function requireRoom(storage: StorageQuota, projectId: string, flow: Workflow): Promise<void> {
  try {
    await storage.requireRoom(projectId);
  } catch (error) {
    throw error instanceof AppError && error.stage === 'request' ? flow.failEarlier('request', error) : error;
  }
}

function startStoring(
  deps: CapturePageDeps,
  command: CaptureCommand,
  capture: Capture,
  flow: Workflow,
  reuseKey: string | null,
): PageUnderway {
  const domId = newId(ID_PREFIXES.dom);
  const stored = storePage(deps, command, { domId, capture, reuseKey }, flow);
  // Avoids an unhandled rejection.
  stored.catch(() => undefined);
  return { domId, capture, stored };
}

async function fetchPage(deps: CapturePageDeps, command: CaptureCommand, flow: Workflow): Promise<Capture> {
  const limit = { timeoutMs: command.timeoutMs + ENGINE_GRACE_MS, timeoutCode: 'fetch_timeout' } as const;
  const egress = egressOf(deps, command);
  const { proxy, options } = command;
  return flow.run('fetch', limit, async ({ signal, note }) => {
    note({ preference: command.preference, budgetMs: command.timeoutMs, ...describeOptions(options, proxy) });
    try {
      const capture = await deps.fetcher.capture(command.preference, {
        url: command.url,
        timeoutMs: command.timeoutMs,
        signal,
        projectId: command.projectId,
        ...(egress === undefined ? {} : { egress }),
        ...(isOrdinaryCapture(options) ? {} : { options }),
      });
      note(describeCapture(capture));
      const isMissed = options.screenshot !== undefined && capture.screenshot === undefined;
      return isMissed ? { ...capture, screenshot: null } : capture;
    } catch (error) {
      if (error instanceof CaptureError) {
        note({ ...(error.capture && describeCapture(error.capture)), engineAttempts: error.attempts });
      }
      throw error;
    }
  });
}

/** Combines the project's rules with the request's proxy. */
function egressOf(
  { projectEgress }: CapturePageDeps,
  { projectId, proxy }: Pick<CaptureCommand, 'projectId' | 'proxy'>,
): ProjectEgress | undefined {
  const ofProject = projectEgress.get(projectId);
  return proxy === undefined ? ofProject : { allow: [], deny: [], ...ofProject, proxy };
}

async function storePage(
  deps: CapturePageDeps,
  command: CaptureCommand,
  { domId, capture, reuseKey }: Omit<PageUnderway, 'stored'> & { readonly reuseKey: string | null },
  flow: Workflow,
): Promise<CapturedPage> {
  return flow.run('snapshot', SNAPSHOT_LIMIT, async (context) => {
    const html = command.filterScriptsStyles
      ? await deps.filter.removeScriptsAndStyles(capture.html, context)
      : capture.html;
    const [stored, screenshot] = await Promise.all([
      deps.content.put(html),
      storeScreenshot(deps.content, capture.screenshot),
    ]);
    const row: SnapshotRow = {
      ...stored,
      domId,
      projectId: command.projectId,
      url: command.givenUrl,
      finalUrl: capture.finalUrl,
      statusCode: capture.statusCode,
      engine: capture.engine,
      fetchedAt: capture.fetchedAt,
      contentType: capture.contentType,
      contentLanguage: capture.contentLanguage,
      filtered: command.filterScriptsStyles,
      title: findTitle(html),
      reuseKey,
      screenshot,
    };
    await deps.snapshots.insert(row);
    flow.domId = domId;
    flow.rawDom = html;
    context.note({
      domId,
      source: 'fetched',
      bytes: row.bytes,
      storedBytes: row.storedBytes,
      filtered: row.filtered,
      ...(screenshot === undefined ? {} : { screenshotBytes: screenshot.bytes }),
    });
    return { row, html, capture };
  });
}

async function storeScreenshot(
  content: CapturePageDeps['content'],
  screenshot: Capture['screenshot'],
): Promise<StoredScreenshot | undefined> {
  if (!screenshot) return undefined;
  const { base64, ...facts } = screenshot;
  const { hash, storedBytes } = await content.put(base64);
  return { ...facts, hash, storedBytes, bytes: screenshotBytes(screenshot) };
}

function describeCapture(capture: Capture): Record<string, unknown> {
  return {
    engine: capture.engine,
    finalUrl: capture.finalUrl,
    statusCode: capture.statusCode,
    redirects: capture.redirects,
    contentType: capture.contentType,
    charset: capture.charset,
    protocol: capture.protocol,
    transferBytes: capture.transferBytes,
    bodyBytes: capture.bodyBytes,
    timings: capture.timings,
    blockedRequests: capture.blockedRequests,
    partial: capture.partial,
    engineAttempts: capture.attempts,
  };
}
