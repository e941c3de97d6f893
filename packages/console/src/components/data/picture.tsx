import type { ScreenshotBody } from '@winnow/client';
import { basePath } from '../../lib/base-path.ts';
import { formatBytes } from '../../lib/format.ts';

/** @param screenshot its `url` as of `/admin/v1`, which takes the session in place of a key */
export function Picture({ screenshot }: { readonly screenshot: ScreenshotBody }) {
  const { url, width, height, bytes, cut } = screenshot;
  return (
    <div className="stack-s">
      <span className="muted small">
        {width} × {height} pixels, {formatBytes(bytes)}
        {cut && '. The page goes on beyond the picture.'}
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

/** Path of the picture of a snapshot for the session. */
export function screenshotPath(projectId: string, domId: string): string {
  return `/admin/v1/projects/${projectId}/snapshots/${domId}/screenshot`;
}
