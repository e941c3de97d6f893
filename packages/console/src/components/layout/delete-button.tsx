import { useQueryClient } from '@tanstack/react-query';
import { Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { useProject } from '../../lib/project.tsx';
import { AskingButton } from '../controls/modal.tsx';

interface DeleteButtonProps {
  /** The list of the project to which the page goes back. */
  readonly list: 'batches' | 'snapshots';
  readonly what: string;
  readonly run: () => Promise<unknown>;
  /** What follows. */
  readonly children: ReactNode;
}

/** Deletes what a page shows. */
export function DeleteButton({ list, what, run, children }: DeleteButtonProps) {
  const project = useProject();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const leave = (): void => {
    client.removeQueries({ queryKey: [list, project.id] });
    navigate(`/p/${project.id}/${list}`);
  };
  const title = `Delete this ${what}?`;
  const done = `The ${what} is deleted`;
  return (
    <AskingButton look="danger" icon={Trash2} label="Delete" action="Delete" {...{ title, done, run }} onDone={leave}>
      <p>{children} This cannot be undone.</p>
    </AskingButton>
  );
}
