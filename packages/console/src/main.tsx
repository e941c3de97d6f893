import { MutationCache, notifyManager, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { Toasts } from './components/feedback/toasts.tsx';
import { basePath } from './lib/base-path.ts';
import { noticeSession } from './lib/session.tsx';
import { applyTheme, readTheme } from './lib/theme.ts';
import './styles/base.css';
import './styles/layout.css';
import './styles/controls.css';
import './styles/data.css';

applyTheme(readTheme());

// Immediately, so that the button is disabled before the second click of a double click.
notifyManager.setScheduler(queueMicrotask);

const onError = (error: unknown): void => noticeSession(client, error);
const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _result, mutation) => (mutation.meta?.['signsIn'] ? undefined : onError(error)),
  }),
  // The service may be on this machine, reachable without a network.
  defaultOptions: {
    queries: { retry: false, refetchOnWindowFocus: false, networkMode: 'always' },
    mutations: { networkMode: 'always' },
  },
});

const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <Router base={`${basePath}/console`}>
          <App />
        </Router>
        <Toasts />
      </QueryClientProvider>
    </StrictMode>,
  );
}
