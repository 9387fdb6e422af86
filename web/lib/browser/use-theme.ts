import { t } from '@lingui/core/macro';
import { useSyncExternalStore } from 'react';
import { currentTheme, onThemeChange, type Theme } from './theme.ts';

/** The label of the toggle for each current theme. Not in theme.ts, which the static pages load without Lingui. */
export const THEME_TOGGLE_LABELS: Record<Theme, string> = {
  dark: t`Switch to light theme`,
  light: t`Switch to dark theme`,
};

export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, currentTheme);
}
