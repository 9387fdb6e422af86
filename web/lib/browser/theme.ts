export type Theme = 'light' | 'dark';

/** public/theme.js reads the same key and values before the first paint. */
const STORAGE_KEY = 'theme';
const CANVAS: Record<Theme, string> = { dark: '#0a0f0c', light: '#f4f3ec' };
const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'light' ? 'light' : 'dark';
}

export function otherTheme(theme: Theme): Theme {
  return theme === 'dark' ? 'light' : 'dark';
}

export function setTheme(theme: Theme): void {
  try {
    localStorage.setItem(STORAGE_KEY, theme);
  } catch {
    // Storage may be disabled. The choice then lasts until the page is closed.
  }
  applyTheme(theme);
}

/** Follows a choice made in another tab. Returns the function that stops following. */
export function followOtherTabs(): () => void {
  const follow = (event: StorageEvent) => {
    if (event.key === STORAGE_KEY) applyTheme(event.newValue === 'light' ? 'light' : 'dark');
  };
  window.addEventListener('storage', follow);
  return () => window.removeEventListener('storage', follow);
}

/** Returns the function that unsubscribes. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function applyTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  document.querySelector('meta[name="theme-color"]')?.setAttribute('content', CANVAS[theme]);
  for (const listener of listeners) listener();
}
