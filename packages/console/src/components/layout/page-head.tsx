import { useEffect } from 'react';
import type { ReactNode } from 'react';

interface PageHeadProps {
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** Heading of a page and title of the browser tab. */
export function PageHead({ title, children, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Winnow console`;
  }, [title]);
  return (
    <header className="page-head">
      <div>
        <h1>{title}</h1>
        {children}
      </div>
      {actions !== undefined && <div className="row">{actions}</div>}
    </header>
  );
}
