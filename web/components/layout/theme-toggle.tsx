import { Moon, Sun } from 'lucide-react';
import { otherTheme, setTheme } from '../../lib/browser/theme.ts';
import { THEME_TOGGLE_LABELS, useTheme } from '../../lib/browser/use-theme.ts';
import { IconButton } from '../actions/icon-button.tsx';

export function ThemeToggle({ className }: { className?: string }) {
  const theme = useTheme();
  return (
    <IconButton
      label={THEME_TOGGLE_LABELS[theme]}
      icon={theme === 'dark' ? <Sun /> : <Moon />}
      tooltip="bottom"
      className={className}
      onClick={() => setTheme(otherTheme(theme))}
    />
  );
}
