import { Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

export function Loading({ what = 'this' }: { readonly what?: string }) {
  return (
    <p className="loading" role="status">
      Loading {what}…
    </p>
  );
}

export function Empty({ title, children }: { readonly title: string; readonly children?: ReactNode }) {
  return (
    <div className="empty">
      <strong>{title}</strong>
      {children}
    </div>
  );
}

export function NoSuchPage() {
  return (
    <Empty title="Page not found">
      This page does not exist. <Link href="/">Go to the overview</Link>
    </Empty>
  );
}

export type Tone = 'good' | 'warn' | 'bad' | 'accent';

export function Badge({ tone, children }: { readonly tone?: Tone | undefined; readonly children: ReactNode }) {
  return <span className={tone ? `badge ${tone}` : 'badge'}>{children}</span>;
}

export function Note({ tone, children }: { readonly tone?: Tone; readonly children: ReactNode }) {
  return (
    <div className={tone ? `note ${tone}` : 'note'}>
      <Info size={16} aria-hidden="true" />
      <div className="grow">{children}</div>
    </div>
  );
}
