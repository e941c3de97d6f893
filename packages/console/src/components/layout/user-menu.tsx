import { Menu } from '@base-ui/react/menu';
import { useMutation } from '@tanstack/react-query';
import { CircleUser, LogOut, Settings } from 'lucide-react';
import { useLocation } from 'wouter';
import { admin } from '../../lib/admin.ts';
import { useSession } from '../../lib/session.tsx';
import { ErrorNote } from '../feedback/error-note.tsx';

export function UserMenu() {
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
