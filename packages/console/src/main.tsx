import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { isSignedOut, SESSION_KEY } from './lib/session.tsx';
import { applyTheme, readTheme } from './lib/theme.ts';
import './styles/base.css';
import './styles/layout.css';
import './styles/controls.css';
import './styles/data.css';

applyTheme(readTheme());

// A session that ended on the server ends here, wherever it shows.
const onError = (error: unknown): void => {
  if (isSignedOut(error)) client.setQueryData(SESSION_KEY, null);
};
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => (mutation.meta?.['signsIn'] ? undefined : onError(error)),
  }),
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false } },
});

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <Router base="/console">
          <App />
        </Router>
      </QueryClientProvider>
    </StrictMode>,
  );
}
