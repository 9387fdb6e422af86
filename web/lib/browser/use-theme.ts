import { useSyncExternalStore } from 'react';
import { currentTheme, onThemeChange, type Theme } from './theme.ts';

export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, currentTheme);
}
