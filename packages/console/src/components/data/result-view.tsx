import type { ExtractResponse } from '@winnow/client';
import { Link } from 'wouter';
import { formatMs, formatPercent, formatTime, formatPublished } from '../../lib/format.ts';
import { useProject } from '../../lib/project.tsx';
import { screenshotTabs } from './screenshot-tabs.tsx';
import { CodeBlock } from './code-block.tsx';
import { FactList } from './fact-list.tsx';
import { DataTable } from './data-table.tsx';
import { Empty } from '../feedback/feedback.tsx';
import { useState } from 'react';
import { CopyButton } from '../controls/copy-button.tsx';
import { DownloadButton } from '../controls/download-button.tsx';
import { TabSet, type Tab } from '../controls/tab-set.tsx';
import { Segments } from '../form/field.tsx';
import { RenderedMarkdown } from './rendered-markdown.tsx';
import { StoredPage } from './stored-page.tsx';
import { TraceWaterfall } from './trace-waterfall.tsx';

/** The answer of an extract, or the parts that the result of a batch has. */
type ShownAnswer = Pick<ExtractResponse, 'result' | 'metadata'> & Partial<Pick<ExtractResponse, 'trace' | 'raw_dom'>>;

export function ResultView({ answer }: { readonly answer: ShownAnswer }) {
  const project = useProject();
  const { result, metadata } = answer;
  const tabs: (Tab | false)[] = [
    { value: 'page', label: 'Page', content: () => <ReadablePage answer={answer} /> },
    result.markdown !== undefined && {
      value: 'beside',
      label: 'Side by side',
      content: () => <BesideThePage domId={result.dom_id} markdown={result.markdown ?? ''} />,
    },
    result.markdown !== undefined && {
      value: 'markdown',
      label: 'Markdown',
      content: () => <Markdown markdown={result.markdown ?? ''} name={result.dom_id} />,
    },
    { value: 'links', label: `Links (${result.links.length})`, content: () => <Links links={result.links} /> },
    { value: 'images', label: `Images (${result.images.length})`, content: () => <Images images={result.images} /> },
    ...screenshotTabs(project.id, result.dom_id, metadata.screenshot),
    answer.trace !== undefined && {
      value: 'trace',
      label: 'Trace',
      content: () => <TraceWaterfall steps={answer.trace ?? []} />,
    },
    result.html !== undefined && {
      value: 'html',
      label: 'HTML',
      content: () => <CodeBlock wrap what="clean HTML" text={result.html ?? ''} />,
    },
    result.chunks !== undefined && {
      value: 'chunks',
      label: `Chunks (${result.chunks.length})`,
      content: () => <Chunks chunks={result.chunks ?? []} />,
    },
    result.stated !== undefined && {
      value: 'stated',
      label: 'Stated data',
      content: () => <CodeBlock what="stated data" text={JSON.stringify(result.stated, null, 2)} />,
    },
    answer.raw_dom !== undefined && {
      value: 'raw',
      label: 'Raw DOM',
      content: () => <CodeBlock wrap what="raw DOM" text={answer.raw_dom ?? ''} />,
    },
    { value: 'json', label: 'JSON', content: () => <CodeBlock what="answer" text={JSON.stringify(answer, null, 2)} /> },
  ];
  return <TabSet label="Answer" tabs={tabs.filter((tab) => tab !== false)} />;
}

function ReadablePage({ answer }: { readonly answer: ShownAnswer }) {
  const project = useProject();
  const { result, metadata } = answer;
  const { template_id: template, engine, status_code: status, dom_id: domId } = result;
  const elapsed = formatMs(metadata.server_elapsed_ms);
  const extractor = `${template} · engine ${engine} · status ${status} · ${elapsed}`;
  const snapshot = (
    <>
      <Link href={`/p/${project.id}/snapshots/${domId}`}>{domId}</Link>, {formatTime(metadata.fetched_at)}
    </>
  );
  return (
    <div className="stack">
      {metadata.warnings.map(({ code, message }) => (
        <p key={`${code} ${message}`} className="note warn">
          <span>
            <strong>{code}</strong>: {message}
          </span>
        </p>
      ))}
      {(metadata.screenshot === null || metadata.mhtml === null) && (
        <p className="note warn">The requested screenshot or MHTML file could not be created.</p>
      )}
      <FactList
        facts={[
          ['URL', result.final_url],
          ['Author', result.author ?? '–'],
          ['Published', result.publish_time === null ? '–' : formatPublished(result.publish_time)],
          ['Language', result.language ?? '–'],
          ['Description', result.description ?? '–'],
          ...Object.entries(result.fields ?? {}).map(([name, value]) => [name, writeValue(value)] as const),
          ['Page type', `${metadata.page_type}, confidence ${formatPercent(metadata.confidence)}`],
          ['Extractor', extractor],
          ['Snapshot', snapshot],
        ]}
      />
      <article className="article" aria-label="Extracted page" lang={result.language ?? undefined}>
        <h2 dir="auto">{result.title ?? 'Untitled'}</h2>
        {result.main_text.split(/\n{2,}/).map((paragraph, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- paragraphs have no other key
          <p key={index} dir="auto">
            {paragraph}
          </p>
        ))}
      </article>
    </div>
  );
}

const MARKDOWN_VIEWS = [
  { value: 'rendered', label: 'Rendered' },
  { value: 'text', label: 'Text' },
] as const;

interface MarkdownProps {
  readonly markdown: string;
  /** Of the file, without its ending. */
  readonly name: string;
}

function Markdown({ markdown, name }: MarkdownProps) {
  const [view, setView] = useState<(typeof MARKDOWN_VIEWS)[number]['value']>('rendered');
  return (
    <div className="stack-s">
      <div className="row-between">
        <Segments label="View" value={view} options={MARKDOWN_VIEWS} onChange={setView} />
        <div className="row">
          {view === 'rendered' && <CopyButton text={markdown} what="Markdown" />}
          <DownloadButton
            look="small"
            label="Download"
            name={`${name}.md`}
            type="text/markdown"
            read={() => markdown}
          />
        </div>
      </div>
      {view === 'rendered' ? <RenderedMarkdown text={markdown} /> : <CodeBlock wrap what="Markdown" text={markdown} />}
    </div>
  );
}

/** The stored page, with its extracted content outlined, and the Markdown. */
function BesideThePage({ domId, markdown }: { readonly domId: string; readonly markdown: string }) {
  return (
    <div className="pair">
      <StoredPage domId={domId} outline title="Stored page" />
      <div className="beside" tabIndex={0} role="group" aria-label="Markdown beside the page">
        <RenderedMarkdown text={markdown} />
      </div>
    </div>
  );
}

function writeValue(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String((value as string | number | null) ?? '–');
}

type Result = ExtractResponse['result'];

/** Shows addresses without links, because foreign pages may be dangerous. */
function Links({ links }: Pick<Result, 'links'>) {
  if (links.length === 0) return <Empty title="No links" />;
  return (
    <DataTable
      label="Links"
      rows={links}
      rowKey={({ url, text }) => `${url} ${text}`}
      columns={[
        { label: 'Text', cell: ({ text }) => <bdi>{text}</bdi> },
        { label: 'URL', className: 'wide mono', cell: ({ url }) => url },
        {
          label: 'Where',
          cell: (link) => `${placeOf(link.in_main)}, ${link.internal ? 'same site' : 'other site'}`,
        },
      ]}
    />
  );
}

function placeOf(inMain: boolean): string {
  return inMain ? 'main content' : 'outside main content';
}

function Chunks({ chunks }: { readonly chunks: NonNullable<Result['chunks']> }) {
  return (
    <div className="stack">
      {chunks.map(({ heading_path: path, text }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- chunks have no other key
        <CodeBlock
          key={index}
          wrap
          what={`chunk ${index + 1}${path.length === 0 ? '' : `: ${path.join(' › ')}`}`}
          text={text}
        />
      ))}
    </div>
  );
}

function Images({ images }: Pick<Result, 'images'>) {
  if (images.length === 0) return <Empty title="No images" />;
  return (
    <DataTable
      label="Images"
      rows={images}
      rowKey={({ url }) => url}
      columns={[
        { label: 'Alt text', cell: ({ alt }) => <bdi>{alt ?? '–'}</bdi> },
        { label: 'URL', className: 'wide mono', cell: ({ url }) => url },
        {
          label: 'Size',
          className: 'nowrap',
          cell: ({ width, height }) => (width === null || height === null ? '–' : `${width} × ${height}`),
        },
        { label: 'Where', cell: (image) => placeOf(image.in_main) },
      ]}
    />
  );
}
