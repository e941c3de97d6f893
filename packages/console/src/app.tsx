import type { SessionResponse } from '@winnow/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, type ReactNode } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { FaultGuard } from './components/feedback/fault-guard.tsx';
import { Empty, Loading } from './components/feedback/feedback.tsx';
import { Shell } from './components/layout/shell.tsx';
import { UnsavedWorkGuard } from './components/layout/unsaved-work-guard.tsx';
import { Waiting } from './components/feedback/waiting.tsx';
import { rememberProject, useLastProject } from './lib/last-project.ts';
import { ProjectContext, useProjects } from './lib/project.tsx';
import { forgetAnswers, readSession, SESSION_KEY, SessionContext } from './lib/session.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { Welcome } from './pages/welcome.tsx';

const Overview = lazy(async () => ({ default: (await import('./pages/overview.tsx')).Overview }));
const Playground = lazy(async () => ({ default: (await import('./pages/playground.tsx')).Playground }));
const Requests = lazy(async () => ({ default: (await import('./pages/requests.tsx')).Requests }));
const RequestPage = lazy(async () => ({ default: (await import('./pages/request.tsx')).RequestPage }));
const Batches = lazy(async () => ({ default: (await import('./pages/batches.tsx')).Batches }));
const BatchPage = lazy(async () => ({ default: (await import('./pages/batch.tsx')).BatchPage }));
const BatchItemPage = lazy(async () => ({ default: (await import('./pages/batch-item.tsx')).BatchItemPage }));
const Snapshots = lazy(async () => ({ default: (await import('./pages/snapshots.tsx')).Snapshots }));
const Snapshot = lazy(async () => ({ default: (await import('./pages/snapshot.tsx')).Snapshot }));
const Compare = lazy(async () => ({ default: (await import('./pages/compare.tsx')).Compare }));
const Teach = lazy(async () => ({ default: (await import('./pages/teach.tsx')).Teach }));
const Templates = lazy(async () => ({ default: (await import('./pages/templates.tsx')).Templates }));
const TemplatePage = lazy(async () => ({ default: (await import('./pages/template.tsx')).TemplatePage }));
const Authorize = lazy(async () => ({ default: (await import('./pages/authorize.tsx')).Authorize }));
const Settings = lazy(async () => ({ default: (await import('./pages/settings.tsx')).Settings }));

export function App() {
  return (
    <Switch>
      <Route path="/welcome">
        <Welcome />
      </Route>
      <Route>
        <SessionGate>
          <SignedInPages />
          <UnsavedWorkGuard />
        </SessionGate>
      </Route>
    </Switch>
  );
}

function SignedInPages() {
  return (
    <Switch>
      <Route path="/p/:project/settings/*?">
        <Redirect replace href="/settings" />
      </Route>
      <Route path="/p/:project/*?">
        {({ project }) => (
          <InProject id={project}>
            <Switch>
              <Route path="/p/:project/overview" component={Overview} />
              <Route path="/p/:project/playground" component={Playground} />
              <Route path="/p/:project/requests">
                <Requests key={project} />
              </Route>
              <Route path="/p/:project/requests/:id">{({ id }) => <RequestPage key={id} id={id} />}</Route>
              <Route path="/p/:project/batches">
                <Batches key={project} />
              </Route>
              <Route path="/p/:project/batches/:id">{({ id }) => <BatchPage key={id} id={id} />}</Route>
              <Route path="/p/:project/batches/:id/items/:index">
                {({ id, index }) => <BatchItemPage key={`${id} ${index}`} id={id} index={Number(index)} />}
              </Route>
              <Route path="/p/:project/snapshots">
                <Snapshots key={project} />
              </Route>
              <Route path="/p/:project/snapshots/:dom">{({ dom }) => <Snapshot key={dom} domId={dom} />}</Route>
              <Route path="/p/:project/compare/:left/:right">
                {({ left, right }) => <Compare key={`${left} ${right}`} left={left} right={right} />}
              </Route>
              <Route path="/p/:project/sites/:host">
                {({ host }) => <Teach key={host} host={decodeURIComponent(host)} />}
              </Route>
              <Route path="/p/:project/templates" component={Templates} />
              <Route path="/p/:project/templates/:template">
                {({ template }) => <TemplatePage key={template} templateId={template} />}
              </Route>
              <Route>
                <NoSuchPage />
              </Route>
            </Switch>
          </InProject>
        )}
      </Route>
      <Route path="/authorize" component={AuthorizePage} />
      <Route path="/settings/*?">
        <InProject id={undefined}>
          <Settings />
        </InProject>
      </Route>
      <Route path="/">
        <Start />
      </Route>
      <Route>
        <InProject id={undefined}>
          <NoSuchPage />
        </InProject>
      </Route>
    </Switch>
  );
}

function AuthorizePage() {
  return (
    <Suspense fallback={<Loading />}>
      <Authorize />
    </Suspense>
  );
}

/** Opens the last project of this browser. */
function Start() {
  const last = useLastProject();
  const { data, error, refetch } = useProjects();
  if (data === undefined) return <Waiting what="the projects" error={error} onRetry={refetch} />;
  const open = data.filter(({ archived_at }) => archived_at === null);
  const project = open.find(({ id }) => id === last) ?? open[0] ?? data[0];
  return <Redirect replace href={project ? `/p/${project.id}/overview` : '/settings'} />;
}

/** A project without access looks like a missing one, as in the API. */
function InProject({ id, children }: { readonly id: string | undefined; readonly children: ReactNode }) {
  const { data, error, refetch } = useProjects();
  const last = useLastProject();
  const [location] = useLocation();
  const named = data?.find((one) => one.id === (id ?? last));
  useEffect(() => {
    if (id !== undefined && named) rememberProject(id);
  }, [id, named]);
  if (data === undefined) return <Waiting what="the projects" error={error} onRetry={refetch} />;
  const project = named ?? (id === undefined ? data[0] : undefined);
  return (
    <Shell projects={data} project={project}>
      {id !== undefined && project === undefined ? (
        <Empty title="No such project">
          It does not exist, or you are not a member of it. <Link href="/">Go to your projects</Link>
        </Empty>
      ) : (
        <ProjectContext value={project}>
          <FaultGuard place={location}>
            <Suspense fallback={<Loading />}>{children}</Suspense>
          </FaultGuard>
        </ProjectContext>
      )}
    </Shell>
  );
}

function NoSuchPage() {
  return (
    <Empty title="Page not found">
      This page does not exist. <Link href="/">Go to the overview</Link>
    </Empty>
  );
}

function SessionGate({ children }: { readonly children: ReactNode }) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery({
    queryKey: SESSION_KEY,
    queryFn: () => readSession(client),
    staleTime: Infinity,
  });
  const replace = (session: SessionResponse | null): void => {
    forgetAnswers(client);
    client.setQueryData(SESSION_KEY, session);
  };
  if (data === undefined) return <Waiting what="the console" error={error} onRetry={refetch} />;
  if (data === null) return <SignIn onSignedIn={replace} />;
  return (
    <SessionContext key={data.user.id} value={{ user: data.user, replace }}>
      {children}
    </SessionContext>
  );
}
