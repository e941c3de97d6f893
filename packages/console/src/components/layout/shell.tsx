import {
  FileText,
  Layers,
  FlaskConical,
  LayoutDashboard,
  LayoutTemplate,
  ScrollText,
  Settings,
  Monitor,
  Moon,
  Sun,
  CircleUser,
  LogOut,
} from 'lucide-react';
import type { ProjectBody } from '@winnow/client';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { basePath } from '../../lib/base-path.ts';
import { rememberProject } from '../../lib/last-project.ts';
import { useService } from '../../lib/project.tsx';
import { SearchPalette } from './search-palette.tsx';
import { readTheme, storeTheme, THEMES } from '../../lib/theme.ts';
import { Menu } from '@base-ui/react/menu';
import { useMutation } from '@tanstack/react-query';
import { admin } from '../../lib/admin.ts';
import { useSession } from '../../lib/session.tsx';
import { ErrorNote } from '../feedback/error-note.tsx';

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

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  const Icon = ICONS[theme];
  const change = (): void => {
    storeTheme(next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      className="button quiet icon"
      onClick={change}
      aria-label={`Theme: ${theme}; change to ${next}`}
    >
      <Icon size={17} aria-hidden="true" />
    </button>
  );
}

function UserMenu() {
  const { user, replace } = useSession();
  const [, navigate] = useLocation();
  // Waits for the answer: on a shared machine the session must really have ended.
  const leave = useMutation({
    mutationFn: (everywhere: boolean) => (everywhere ? admin.signOutEverywhere() : admin.signOut()),
    onSuccess: () => {
      replace(null);
      navigate('/');
    },
  });
  return (
    <>
      {leave.error && <ErrorNote error={leave.error} />}
      <Menu.Root>
        <Menu.Trigger className="button quiet icon" aria-label="Account">
          <CircleUser size={18} aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className="above" sideOffset={6} align="end">
            <Menu.Popup className="menu">
              <div className="menu-head">{user.email}</div>
              <Menu.Item className="menu-item" onClick={() => navigate('/settings/account')}>
                <Settings size={15} aria-hidden="true" /> Account
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => leave.mutate(false)}>
                <LogOut size={15} aria-hidden="true" /> Sign out
              </Menu.Item>
              <Menu.Item className="menu-item" onClick={() => leave.mutate(true)}>
                <LogOut size={15} aria-hidden="true" /> Sign out everywhere
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </>
  );
}
