import { Monitor, Moon, Sun } from 'lucide-react';
import { nextThemeChoice, setThemeChoice, type ThemeChoice } from '../../lib/browser/theme.ts';
import { THEME_TOGGLE_LABELS, useThemeChoice } from '../../lib/browser/use-theme.ts';
import { IconButton } from '../actions/icon-button.tsx';

const ICONS = { light: Sun, system: Monitor, dark: Moon } satisfies Record<ThemeChoice, unknown>;

export function ThemeToggle({ className }: { className?: string }) {
  const choice = useThemeChoice();
  const next = nextThemeChoice(choice);
  const NextIcon = ICONS[next];
  return (
    <IconButton
      label={THEME_TOGGLE_LABELS[choice]}
      icon={<NextIcon />}
      tooltip="bottom"
      className={className}
      onClick={() => setThemeChoice(next)}
    />
  );
}
