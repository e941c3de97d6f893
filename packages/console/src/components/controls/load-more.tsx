interface LoadMoreProps {
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetching: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

/** A button for the next page of a list; hidden on the last one. */
export function LoadMore({ query }: LoadMoreProps) {
  if (!query.hasNextPage) return null;
  return (
    <div>
      <button type="button" className="button" disabled={query.isFetching} onClick={() => void query.fetchNextPage()}>
        Load more
      </button>
    </div>
  );
}
