import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';

export interface ButtonProps extends Omit<ComponentProps<'button'>, 'type' | 'className' | 'children'> {
  readonly label: ReactNode;
  readonly icon?: LucideIcon | undefined;
  readonly look?: string | undefined;
  /** Of a form, in place of an action of its own. */
  readonly submits?: true;
}

export function Button({ label, icon: Icon, look, submits, ...attributes }: ButtonProps) {
  return (
    <button type={submits ? undefined : 'button'} className={look ? `button ${look}` : 'button'} {...attributes}>
      {Icon && <Icon size={look?.includes('small') ? 14 : 15} aria-hidden="true" />}
      {Icon && ' '}
      {label}
    </button>
  );
}
