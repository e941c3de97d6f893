import { Monitor, Moon, Sun } from 'lucide-react';
import { useState } from 'react';
import { readTheme, storeTheme, THEMES } from '../../lib/theme.ts';

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const;

export function ThemeButton() {
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
