import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';

interface PageHeadProps {
  readonly title: string;
  /** The way to this page, from the list that it belongs to. */
  readonly trail?: readonly { readonly label: string; readonly href: string }[];
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** Heading of a page and title of the browser tab. */
export function PageHead({ title, trail, children, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Winnow console`;
  }, [title]);
  return (
    <header className="page-head">
      <div>
        {trail && (
          <nav className="trail" aria-label="Breadcrumbs">
            <ol>
              {trail.map(({ label, href }) => (
                <li key={href}>
                  <Link href={href}>{label}</Link>
                </li>
              ))}
            </ol>
          </nav>
        )}
        <h1>
          <bdi>{title}</bdi>
        </h1>
        {children}
      </div>
      {actions !== undefined && <div className="row">{actions}</div>}
    </header>
  );
}
