export type Theme = 'light' | 'dark';
export type ThemeChoice = Theme | 'system';

/**
 * `theme` holds `light` or `dark`. Without it, `theme-system` set to `on` follows the system; otherwise dark is the
 * default. public/theme.js reads the same keys before the first paint.
 */
const CHOICE_KEY = 'theme';
const SYSTEM_KEY = 'theme-system';
const CANVAS: Record<Theme, string> = { dark: '#0a0f0c', light: '#f4f3ec' };
const SYSTEM_IS_LIGHT = '(prefers-color-scheme: light)';
const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'light' ? 'light' : 'dark';
}

export function currentThemeChoice(): ThemeChoice {
  const { themeChoice } = document.documentElement.dataset;
  return themeChoice === 'light' || themeChoice === 'system' ? themeChoice : 'dark';
}

const NEXT: Record<ThemeChoice, ThemeChoice> = { dark: 'light', light: 'system', system: 'dark' };

/** The order in which the toggle goes through the choices. */
export function nextThemeChoice(choice: ThemeChoice): ThemeChoice {
  return NEXT[choice];
}

export function setThemeChoice(choice: ThemeChoice): void {
  try {
    if (choice === 'system') {
      localStorage.setItem(SYSTEM_KEY, 'on');
      localStorage.removeItem(CHOICE_KEY);
    } else {
      localStorage.setItem(CHOICE_KEY, choice);
      localStorage.removeItem(SYSTEM_KEY);
    }
  } catch {
    // Storage may be disabled. The choice then lasts until the page is closed.
  }
  applyTheme(choice);
}

/** Follows the system, and choices made in other tabs. Returns the function that stops following. */
export function followThemeChanges(): () => void {
  const followTab = ({ key }: StorageEvent) => {
    // Null: the storage was cleared.
    if (key === CHOICE_KEY || key === SYSTEM_KEY || key === null) applyTheme(readChoice());
  };
  const followSystem = () => applyTheme(currentThemeChoice());
  const system = window.matchMedia(SYSTEM_IS_LIGHT);
  window.addEventListener('storage', followTab);
  system.addEventListener('change', followSystem);
  return () => {
    window.removeEventListener('storage', followTab);
    system.removeEventListener('change', followSystem);
  };
}

/** Returns the function that unsubscribes. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** For documents without public/theme.js. */
export function applyStoredTheme(): void {
  try {
    applyTheme(readChoice());
  } catch {
    // Storage may be disabled. The document has the default theme.
  }
}

function readChoice(): ThemeChoice {
  const choice = localStorage.getItem(CHOICE_KEY);
  if (choice === 'light' || choice === 'dark') return choice;
  return localStorage.getItem(SYSTEM_KEY) === 'on' ? 'system' : 'dark';
}

function applyTheme(choice: ThemeChoice): void {
  const theme = choice === 'system' ? systemTheme() : choice;
  Object.assign(document.documentElement.dataset, { theme, themeChoice: choice });
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', CANVAS[theme]);
  for (const listener of listeners) listener();
}

function systemTheme(): Theme {
  return window.matchMedia(SYSTEM_IS_LIGHT).matches ? 'light' : 'dark';
}
