import { useInfiniteQuery, type InfiniteData, type UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../controls/button.tsx';
import { ErrorNote } from '../feedback/error-note.tsx';
import { Empty, Loading } from '../feedback/feedback.tsx';

/** Reads a list page by page; `load` gets the cursor of the next one. */
export function usePages<Page extends { readonly next_cursor: string | null }>(
  queryKey: readonly unknown[],
  load: (next: { readonly cursor?: string }) => Promise<Page>,
  refetchAfter: (pages: readonly Page[]) => number | false = () => false,
): UseInfiniteQueryResult<InfiniteData<Page>> {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam === '' ? {} : { cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) => refetchAfter(state.data?.pages ?? []),
  });
}

interface PagedListProps<Item> {
  readonly query: UseInfiniteQueryResult<InfiniteData<{ readonly items: readonly Item[] }>>;
  /** Name of the items. */
  readonly what: string;
  /** What an empty list means. */
  readonly empty: ReactNode;
  /** Between a failure and the items. */
  readonly note?: ReactNode;
  readonly children: (items: readonly Item[]) => ReactNode;
}

/** The items that were read, or why there are none, and the button for more. */
export function PagedList<Item>({ query, what, empty, note, children }: PagedListProps<Item>) {
  const { data, error } = query;
  const items = data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {error && <ErrorNote error={error} />}
      {note}
      <div className="card flush">
        {items.length > 0 && children(items)}
        {data && items.length === 0 && <Empty title={`No ${what}`}>{empty}</Empty>}
        {!data && !error && <Loading what={what} />}
      </div>
      {query.hasNextPage && (
        <div>
          <Button label="Load more" disabled={query.isFetching} onClick={() => void query.fetchNextPage()} />
        </div>
      )}
    </>
  );
}
