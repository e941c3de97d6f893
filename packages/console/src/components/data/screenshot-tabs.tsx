import type { ScreenshotBody } from '@winnow/client';
import { basePath } from '../../lib/base-path.ts';
import { formatSize } from '../../lib/format.ts';
import type { Tab } from '../controls/tab-set.tsx';

/** The tab with the screenshot of a snapshot; empty without one. */
export function screenshotTabs(projectId: string, domId: string, screenshot: ScreenshotBody | null | undefined): Tab[] {
  if (screenshot === null || screenshot === undefined) return [];
  // The address in an answer of `/v1` needs a key; this one accepts the session.
  const url = `/admin/v1/projects/${projectId}/snapshots/${domId}/screenshot`;
  return [{ value: 'screenshot', label: 'Screenshot', content: () => <Picture screenshot={{ ...screenshot, url }} /> }];
}

function Picture({ screenshot }: { readonly screenshot: ScreenshotBody }) {
  const { url, width, height, bytes, cut } = screenshot;
  return (
    <div className="stack-s">
      <span className="muted small">
        {width} × {height} pixels, {formatSize(bytes)}
        {cut && '. The page is longer than the screenshot.'}
      </span>
      <img
        className="screenshot"
        src={`${basePath}${url}`}
        width={width}
        height={height}
        alt="The page as it was captured"
      />
    </div>
  );
}
