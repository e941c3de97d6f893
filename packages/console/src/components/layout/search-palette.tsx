import type { ProjectBody } from '@winnow/client';
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useQuery } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { admin } from '../../lib/admin.ts';
import { findKnown, findStored, type Found, type FoundGroup } from '../../lib/find-anything.ts';
import { ErrorNote } from '../feedback/error-note.tsx';

interface SearchPaletteProps {
  readonly projects: readonly ProjectBody[];
  readonly project: ProjectBody | undefined;
}

const IS_APPLE = /Mac|iP(?:hone|ad)/.test(navigator.userAgent);

/** Searches pages, projects, keys, hosts, requests and snapshots; opens with ⌘K or Ctrl-K. */
export function SearchPalette(props: SearchPaletteProps) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      setOpen((before) => !before);
    };
    window.addEventListener('keydown', listen);
    return () => window.removeEventListener('keydown', listen);
  }, []);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger className="button search-button">
        <Search size={15} aria-hidden="true" /> <span>Find anything</span>
        <kbd>{IS_APPLE ? '⌘K' : 'Ctrl K'}</kbd>
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog palette" aria-label="Find anything">
          <Palette {...props} onChosen={() => setOpen(false)} />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Pause in typing after which the service is asked. */
const PAUSE_MS = 150;

function Palette({ projects, project, onChosen }: SearchPaletteProps & { readonly onChosen: () => void }) {
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState('');
  const text = typed.trim();
  const settled = useSettled(text);
  const keys = useQuery({
    queryKey: ['keys', project?.id],
    queryFn: async () => (project ? (await admin.keys(project.id)).items : []),
  });
  const stored = useQuery({
    queryKey: ['search', project?.id, settled],
    queryFn: () => (project ? findStored(settled, project) : []),
    placeholderData: (before) => before,
  });
  const groups: FoundGroup[] = [
    ...findKnown(text, { projects, project, keys: keys.data ?? [] }),
    ...(text === '' ? [] : (stored.data ?? [])),
  ];
  const open = ({ href }: Found): void => {
    onChosen();
    navigate(href);
  };
  return (
    <Autocomplete.Root
      open
      inline
      items={groups}
      filter={null}
      autoHighlight="always"
      keepHighlight
      value={typed}
      onValueChange={(value, { reason }) => (reason === 'item-press' ? undefined : setTyped(value))}
      itemToStringValue={({ label }: Found) => label}
    >
      <Autocomplete.Input
        className="input"
        aria-label="Find anything"
        placeholder="Pages, projects, keys, hosts, requests, snapshots"
      />
      {stored.error && <ErrorNote error={stored.error} />}
      <Autocomplete.Empty className="muted small">
        {stored.isFetching || settled !== text ? 'Searching…' : 'Nothing found in this project.'}
      </Autocomplete.Empty>
      <Autocomplete.List className="palette-list">
        {({ value, items }: FoundGroup) => (
          <Autocomplete.Group key={value} items={[...items]}>
            <Autocomplete.GroupLabel className="palette-label">{value}</Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: Found) => (
                <Autocomplete.Item
                  key={`${value} ${item.href} ${item.label}`}
                  value={item}
                  className="palette-item"
                  onClick={() => open(item)}
                >
                  <bdi>{item.label}</bdi>
                  {item.note !== undefined && <span className="muted small">{item.note}</span>}
                </Autocomplete.Item>
              )}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
    </Autocomplete.Root>
  );
}

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
