import type { DevtoolsConnection } from './devtools-connection.ts';

interface TargetInfo {
  readonly targetId: string;
  readonly type: string;
  readonly openerId?: string;
}

/** Closes every page that another page opens: nobody will look at it. */
export function closeStrayPages(connection: DevtoolsConnection): void {
  connection.on('Target.targetCreated', ({ targetInfo }: { targetInfo: TargetInfo }) => {
    if (targetInfo.type !== 'page' || targetInfo.openerId === undefined) return;
    connection.send('Target.closeTarget', { targetId: targetInfo.targetId }).catch(() => {});
  });
  connection.send('Target.setDiscoverTargets', { discover: true, filter: [{ type: 'page' }] }).catch(() => {});
}
