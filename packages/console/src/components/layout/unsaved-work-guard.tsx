import { useEffect, useState } from 'react';
import { forgetUnsavedWork, hasUnsavedWork } from '../../lib/unsaved-work.ts';
import { Confirm } from '../controls/modal.tsx';

/** Asks before the console opens another page while work is unsaved; the browser asks before it leaves the console. */
export function UnsavedWorkGuard() {
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
