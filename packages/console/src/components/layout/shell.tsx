import { FileText, Layers, FlaskConical, LayoutDashboard, LayoutTemplate, ScrollText, Settings } from 'lucide-react';
import type { ProjectBody } from '@winnow/client';
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { basePath } from '../../lib/base-path.ts';
import { rememberProject } from '../../lib/last-project.ts';
import { useService } from '../../lib/project.tsx';
import { SearchPalette } from './search-palette.tsx';
import { ThemeButton } from '../controls/theme-button.tsx';
import { UserMenu } from './user-menu.tsx';

const PAGES = [
  { path: 'overview', label: 'Overview', Icon: LayoutDashboard },
  { path: 'playground', label: 'Playground', Icon: FlaskConical },
  { path: 'requests', label: 'Requests', Icon: ScrollText },
  { path: 'batches', label: 'Batches', Icon: Layers },
  { path: 'snapshots', label: 'Snapshots', Icon: FileText },
  { path: 'templates', label: 'Templates', Icon: LayoutTemplate },
] as const;

interface ShellProps {
  readonly projects: readonly ProjectBody[];
  readonly project: ProjectBody | undefined;
  readonly children: ReactNode;
}

export function Shell({ projects, project, children }: ShellProps) {
  const [location, navigate] = useLocation();
  const section = location.split('/')[3] ?? 'overview';
  const service = useService();
  const open = (id: string): void => {
    if (location.startsWith('/settings')) rememberProject(id);
    else navigate(`/p/${id}/${PAGES.some(({ path }) => path === section) ? section : 'overview'}`);
  };
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="sidebar">
        <Link className="brand" href="/" aria-label="Winnow, start page">
          <img src={`${basePath}/console/favicon.svg`} alt="" /> <span>Winnow</span>
        </Link>
        <nav className="nav" aria-label="Pages">
          {project &&
            PAGES.map(({ path, label, Icon }) => (
              <NavLink key={path} href={`/p/${project.id}/${path}`} label={label} Icon={Icon} location={location} />
            ))}
          <NavLink href="/settings" label="Settings" Icon={Settings} location={location} />
        </nav>
        <div className="sidebar-foot">{service.data && `${service.data.region} · ${service.data.version}`}</div>
      </header>
      <div>
        <div className="topbar" role="region" aria-label="Project and account">
          {project && projects.length > 0 && (
            <div className="project">
              <label className="visually-hidden" htmlFor="project">
                Project
              </label>
              <select id="project" className="input" value={project.id} onChange={(event) => open(event.target.value)}>
                {projects.map(({ id, name, archived_at }) => (
                  <option key={id} value={id}>
                    {archived_at === null ? name : `${name} (archived)`}
                  </option>
                ))}
              </select>
            </div>
          )}
          <div className="end">
            <SearchPalette projects={projects} project={project} />
            <ThemeButton />
            <UserMenu />
          </div>
        </div>
        <main id="main" className="main" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}

interface NavLinkProps {
  readonly href: string;
  readonly label: string;
  readonly Icon: typeof Settings;
  readonly location: string;
}

function NavLink({ href, label, Icon, location }: NavLinkProps) {
  const here = location === href || location.startsWith(`${href}/`);
  return (
    <Link href={href} aria-current={here ? 'page' : undefined}>
      <Icon size={16} aria-hidden="true" /> {label}
    </Link>
  );
}
