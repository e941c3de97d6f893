import type { SessionResponse } from '@winnow/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, type ReactNode, useState, Component } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import { Empty, Loading, NoSuchPage } from './components/feedback/feedback.tsx';
import { Shell } from './components/layout/shell.tsx';
import { Waiting } from './components/layout/waiting.tsx';
import { rememberProject, useLastProject } from './lib/last-project.ts';
import { ProjectContext, useProjects } from './lib/project.tsx';
import { forgetAnswers, readSession, SESSION_KEY, SessionContext } from './lib/session.tsx';
import { SignIn } from './pages/sign-in.tsx';
import { Welcome } from './pages/welcome.tsx';
import { forgetUnsavedWork, hasUnsavedWork } from './lib/unsaved-work.ts';
import { Confirm } from './components/controls/modal.tsx';
import { Button } from './components/controls/button.tsx';
import { ErrorNote } from './components/feedback/error-note.tsx';

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

/** Asks before the console opens another page while work is unsaved; the browser asks before it leaves the console. */
function UnsavedWorkGuard() {
  const [wanted, setWanted] = useState<NavigateEvent>();
  useEffect(() => {
    // Browsers without this interface lose the question, not the page.
    const navigation = (window as Partial<Pick<Window, 'navigation'>>).navigation;
    const listen = (event: NavigateEvent): void => {
      const { pathname } = new URL(event.destination.url);
      if (!hasUnsavedWork() || !event.cancelable || pathname === window.location.pathname) return;
      if (!event.destination.sameDocument) return;
      event.preventDefault();
      setWanted(event);
    };
    navigation?.addEventListener('navigate', listen);
    return () => navigation?.removeEventListener('navigate', listen);
  }, []);
  const leave = (): void => {
    forgetUnsavedWork();
    setWanted(undefined);
    if (wanted?.navigationType === 'traverse') navigation.traverseTo(wanted.destination.key);
    else if (wanted) history.pushState(null, '', wanted.destination.url);
  };
  return (
    <Confirm
      open={wanted !== undefined}
      title="Leave without saving?"
      action="Leave"
      onConfirm={leave}
      onClose={() => setWanted(undefined)}
    >
      <p>What you changed on this page is not saved, and is lost when you leave it.</p>
    </Confirm>
  );
}

interface FaultGuardProps {
  /** Address of the shown page; a new address resets the error. */
  readonly place: string;
  readonly children: ReactNode;
}

interface FaultGuardState {
  readonly error: unknown;
  readonly failed: boolean;
}

const SOUND: FaultGuardState = { error: undefined, failed: false };

/** Replaces a page that fails to render or load by the error and a reload button. */
class FaultGuard extends Component<FaultGuardProps, FaultGuardState> {
  override state: FaultGuardState = SOUND;

  static getDerivedStateFromError(error: unknown): FaultGuardState {
    return { error, failed: true };
  }

  override componentDidUpdate({ place }: FaultGuardProps): void {
    if (this.state.failed && place !== this.props.place) this.setState(SOUND);
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return (
      <div className="stack">
        <ErrorNote error={this.state.error} />
        <p>The page could not be shown. The console may have been updated, or the service may be unreachable.</p>
        <div>
          <Button label="Reload" onClick={() => window.location.reload()} />
        </div>
      </div>
    );
  }
}
