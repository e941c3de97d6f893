import type { BatchRequest } from '@winnow/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { notify } from '../../components/feedback/toasts.tsx';
import { CheckField, ChoiceField, LinesField, Segments, TextField } from '../../components/form/field.tsx';
import { DialogForm } from '../../components/form/form.tsx';
import { FormatChecks, type Format } from '../../components/form/format-checks.tsx';
import { admin } from '../../lib/admin.ts';
import { withScheme } from '@winnow/contract/with-scheme';
import { formatCount } from '../../lib/format.ts';
import { useProject, useService } from '../../lib/project.tsx';
import { forgetUnsavedWork, useUnsavedWork } from '../../lib/unsaved-work.ts';

const KINDS = [
  { value: 'batch', label: 'Pages' },
  { value: 'crawl', label: 'Crawl of a site' },
] as const;

type EngineName = NonNullable<NonNullable<BatchRequest['options']>['engine_preference']>;

/** Orders a batch of pasted addresses, or a crawl. */
export function NewBatch({ onClose }: { readonly onClose: () => void }) {
  const project = useProject();
  const client = useQueryClient();
  const service = useService();
  const [, navigate] = useLocation();
  const [kind, setKind] = useState<(typeof KINDS)[number]['value']>('batch');
  const [text, setText] = useState('');
  const [start, setStart] = useState('');
  const [limit, setLimit] = useState('100');
  const [formats, setFormats] = useState<Format[]>(['markdown']);
  const [engine, setEngine] = useState('auto');
  const [robots, setRobots] = useState(true);
  const urls = readAddresses(text);
  useUnsavedWork(text !== '' || start !== '');
  const starting = useMutation({
    mutationFn: async () => {
      const common = {
        formats,
        respect_robots: robots,
        ...(engine === 'auto' ? {} : { options: { engine_preference: engine as EngineName } }),
      };
      return kind === 'batch'
        ? admin.createBatch(project.id, { urls, ...common })
        : admin.createCrawl(project.id, { url: withScheme(start), limit: Number(limit), ...common });
    },
    onSuccess: ({ batch }) => {
      forgetUnsavedWork();
      notify(batch.kind === 'crawl' ? 'The crawl has begun' : `A batch of ${countPages(batch.total)} has begun`);
      void client.invalidateQueries({ queryKey: ['batches', project.id] });
      navigate(`/p/${project.id}/batches/${batch.id}`);
    },
  });
  return (
    <DialogForm change={starting} submit="Start" onCancel={onClose}>
      <div>
        <Segments label="Kind" value={kind} options={KINDS} onChange={setKind} />
      </div>
      {kind === 'batch' ? (
        <LinesField
          label="Addresses"
          hint={urls.length === 0 ? 'One per line; https:// may be left out.' : countPages(urls.length)}
          rows={8}
          required
          placeholder={'example.com/news/1\nexample.com/news/2'}
          value={text}
          onChange={setText}
        />
      ) : (
        <>
          <TextField label="Start page" required placeholder="example.com" value={start} onChange={setStart} />
          <TextField
            label="Most pages"
            type="number"
            required
            min={1}
            max={100_000}
            value={limit}
            onChange={setLimit}
          />
        </>
      )}
      <fieldset className="checks plain">
        <legend className="label">Include</legend>
        <FormatChecks formats={formats} onChange={setFormats} />
      </fieldset>
      <ChoiceField label="Engine" choices={service.data?.engines ?? [engine]} value={engine} onChange={setEngine} />
      <CheckField label="Respect robots.txt" checked={robots} onChange={setRobots} />
    </DialogForm>
  );
}

/** Each address once, in the order of the lines. */
function readAddresses(text: string): string[] {
  return [
    ...new Set(
      text
        .split(/\s+/)
        .map(withScheme)
        .filter((address) => address !== ''),
    ),
  ];
}

function countPages(count: number): string {
  return count === 1 ? '1 page' : `${formatCount(count)} pages`;
}
