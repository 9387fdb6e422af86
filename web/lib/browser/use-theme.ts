import { t } from '@lingui/core/macro';
import { useSyncExternalStore } from 'react';
import { currentTheme, currentThemeChoice, onThemeChange, type Theme, type ThemeChoice } from './theme.ts';

/**
 * The label of the toggle for each choice: what a click will do. Not in theme.ts, which the static pages load without
 * Lingui.
 */
export const THEME_TOGGLE_LABELS: Record<ThemeChoice, string> = {
  dark: t`Switch to light theme`,
  light: t`Switch to system theme`,
  system: t`Switch to dark theme`,
};

/** The theme that is shown. */
export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, currentTheme);
}

export function useThemeChoice(): ThemeChoice {
  return useSyncExternalStore(onThemeChange, currentThemeChoice);
}
