import { WinnowApiError } from '@winnow/client';
import { TriangleAlert } from 'lucide-react';

export function ErrorNote({ error }: { readonly error: unknown }) {
  return (
    <div className="note bad" role="alert">
      <TriangleAlert size={16} aria-hidden="true" />
      <div className="grow">
        {describe(error)}
        {error instanceof WinnowApiError && <div className="small mono">{error.requestId}</div>}
      </div>
    </div>
  );
}

function describe(error: unknown): string {
  if (error instanceof WinnowApiError) return error.body.error.message;
  return error instanceof Error ? error.message : 'something unexpected happened';
}
