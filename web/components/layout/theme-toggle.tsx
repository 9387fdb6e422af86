import { Moon, Sun } from 'lucide-react';
import { otherTheme, setTheme, themeToggleLabel } from '../../lib/browser/theme.ts';
import { useTheme } from '../../lib/browser/use-theme.ts';
import { IconButton } from '../actions/icon-button.tsx';

export function ThemeToggle({ className }: { className?: string }) {
  const theme = useTheme();
  return (
    <IconButton
      label={themeToggleLabel(theme)}
      icon={theme === 'dark' ? <Sun /> : <Moon />}
      tooltip="bottom"
      className={className}
      onClick={() => setTheme(otherTheme(theme))}
    />
  );
}
