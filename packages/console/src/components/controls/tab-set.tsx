import { Tabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface Tab {
  readonly value: string;
  readonly label: string;
  readonly content: () => ReactNode;
}

interface TabSetProps {
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly value?: string;
  readonly onChange?: (value: string) => void;
}

/** Tabs, in more than one row where they need it; only the chosen one is rendered. */
export function TabSet({ label, tabs, value, onChange }: TabSetProps) {
  const controlled = value === undefined ? { defaultValue: tabs[0]?.value ?? '' } : { value };
  return (
    <Tabs.Root {...controlled} onValueChange={(next) => onChange?.(String(next))}>
      <Tabs.List className="tabs-list" aria-label={label}>
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.value} value={tab.value} className="tab">
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.value} value={tab.value} className="tab-panel">
          {tab.content()}
        </Tabs.Panel>
      ))}
    </Tabs.Root>
  );
}
