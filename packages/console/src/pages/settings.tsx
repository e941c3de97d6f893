import { useLocation } from 'wouter';
import { PageHead } from '../components/layout/page-head.tsx';
import { TabSet, type Tab } from '../components/controls/tab-set.tsx';
import { useSession } from '../lib/session.tsx';
import { AccountSettings } from './settings/account.tsx';
import { AlertSettings } from './settings/alerts.tsx';
import { ExampleSettings } from './settings/examples.tsx';
import { HealthSettings } from './settings/health.tsx';
import { KeySettings } from './settings/keys.tsx';
import { MemberSettings } from './settings/members.tsx';
import { ProjectSettings } from './settings/projects.tsx';
import { DataTable } from '../components/data/data-table.tsx';
import { PagedList, usePages } from '../components/data/paged-list.tsx';
import { admin } from '../lib/admin.ts';
import { useProjects } from '../lib/project.tsx';
import { Time } from '../components/data/time.tsx';
import { NoSuchPage } from '../components/feedback/feedback.tsx';

interface Section extends Tab {
  readonly adminOnly?: true;
}

const SECTIONS: readonly Section[] = [
  { value: 'keys', label: 'Keys', content: () => <KeySettings /> },
  { value: 'examples', label: 'Addresses and examples', content: () => <ExampleSettings /> },
  { value: 'projects', label: 'Projects', content: () => <ProjectSettings /> },
  { value: 'alerts', label: 'Alerts', content: () => <AlertSettings /> },
  { value: 'members', label: 'Members', adminOnly: true, content: () => <MemberSettings /> },
  { value: 'audit', label: 'Audit log', adminOnly: true, content: () => <AuditSettings /> },
  { value: 'health', label: 'Service health', adminOnly: true, content: () => <HealthSettings /> },
  { value: 'account', label: 'Account', content: () => <AccountSettings /> },
];

export function Settings() {
  const { user } = useSession();
  const [location, navigate] = useLocation();
  const sections = SECTIONS.filter(({ adminOnly }) => adminOnly !== true || user.role === 'admin');
  const wanted = location.split('/')[2];
  const value = wanted === undefined ? 'keys' : sections.find((section) => section.value === wanted)?.value;
  if (value === undefined) return <NoSuchPage />;
  return (
    <>
      <PageHead title="Settings" />
      <TabSet label="Settings" tabs={sections} value={value} onChange={(next) => navigate(`/settings/${next}`)} />
    </>
  );
}

function AuditSettings() {
  const { data: projects = [] } = useProjects();
  const query = usePages(['audit'], (next) => admin.audit(next));
  return (
    <div className="stack">
      <PagedList query={query} what="recorded changes" empty="They appear as soon as somebody changes something.">
        {(items) => (
          <>
            <h2>Recorded changes</h2>
            <DataTable
              label="Audit log"
              rows={items}
              rowKey={({ id }) => id}
              columns={[
                { label: 'When', className: 'nowrap', cell: ({ at }) => <Time iso={at} /> },
                { label: 'Who', className: 'name', cell: ({ actor }) => actor },
                { label: 'What', className: 'mono', cell: ({ action }) => action },
                { label: 'Target', className: 'name', cell: ({ target }) => target ?? '–' },
                {
                  label: 'Project',
                  className: 'name',
                  cell: (entry) => projects.find(({ id }) => id === entry.project_id)?.name ?? entry.project_id ?? '–',
                },
              ]}
            />
          </>
        )}
      </PagedList>
    </div>
  );
}
