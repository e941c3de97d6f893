import { Menu } from '@base-ui/react/menu';
import { CircleUser, LogOut, Settings } from 'lucide-react';
import { useLocation } from 'wouter';
import { admin } from '../lib/admin.ts';
import { useSession } from '../lib/session.tsx';

export function UserMenu() {
  const { user, replace } = useSession();
  const [, navigate] = useLocation();
  const leave = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } finally {
      replace(null);
      navigate('/');
    }
  };
  return (
    <Menu.Root>
      <Menu.Trigger className="button quiet icon" aria-label="Account">
        <CircleUser size={18} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end">
          <Menu.Popup className="menu">
            <div className="menu-head">{user.email}</div>
            <Menu.Item className="menu-item" onClick={() => navigate('/settings/account')}>
              <Settings size={15} aria-hidden="true" /> Account
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={() => void leave(() => admin.signOut())}>
              <LogOut size={15} aria-hidden="true" /> Sign out
            </Menu.Item>
            <Menu.Item className="menu-item" onClick={() => void leave(() => admin.signOutEverywhere())}>
              <LogOut size={15} aria-hidden="true" /> Sign out everywhere
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
