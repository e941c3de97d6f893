import type { ReactNode } from 'react';
import { basePath } from '../../lib/base-path.ts';
import { PageHead } from './page-head.tsx';

/** Frame of the pages before sign-in. */
export function EntryCard({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <main className="entry">
      <div className="card">
        <div className="brand">
          <img src={`${basePath}/console/favicon.svg`} alt="" /> Winnow console
        </div>
        <PageHead title={title} />
        {children}
      </div>
    </main>
  );
}
