import { Moon, Sun } from 'lucide-react';
import { setTheme, useTheme } from '../lib/theme.ts';
import { IconButton } from './icon-button.tsx';

export function ThemeToggle({ className }: { className?: string }) {
  const theme = useTheme();
  const next = theme === 'dark' ? 'light' : 'dark';
  return (
    <IconButton
      label={`Switch to ${next} theme`}
      icon={theme === 'dark' ? <Sun /> : <Moon />}
      tooltip="bottom"
      className={className}
      onClick={() => setTheme(next)}
    />
  );
}
