import { Moon, Sun } from 'lucide-react';
import { otherTheme, setTheme, themeToggleLabel } from '../lib/theme.ts';
import { useTheme } from '../lib/use-theme.ts';
import { IconButton } from './icon-button.tsx';

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
