import { Toast } from '@base-ui/react/toast';
import { CircleAlert, CircleCheck, X } from 'lucide-react';

const manager = Toast.createToastManager();

export interface Undo {
  readonly run: () => Promise<unknown>;
  /** Said afterwards. */
  readonly done: string;
}

/** Says that an action was done, in a corner of the window, for some seconds. */
export function notify(title: string, undo?: Undo): void {
  const id = manager.add({
    title,
    ...(undo && {
      timeout: 10_000,
      actionProps: {
        children: 'Undo',
        onClick: () => {
          manager.close(id);
          void takeBack(undo);
        },
      },
    }),
  });
}

async function takeBack({ run, done }: Undo): Promise<void> {
  try {
    await run();
    notify(done);
  } catch (error) {
    const description = error instanceof Error ? error.message : undefined;
    manager.add({ title: 'Not undone', type: 'bad', priority: 'high', timeout: 0, description });
  }
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={toast.type === 'bad' ? 'toast bad' : 'toast'}>
      <Toast.Content className="row">
        {toast.type === 'bad' ? (
          <CircleAlert size={16} aria-hidden="true" />
        ) : (
          <CircleCheck size={16} aria-hidden="true" />
        )}
        <div className="grow">
          <Toast.Title render={<div />} />
          <Toast.Description render={<div />} className="small" />
        </div>
        <Toast.Action className="button small" />
        <Toast.Close className="button quiet icon small" aria-label="Dismiss">
          <X size={14} aria-hidden="true" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
