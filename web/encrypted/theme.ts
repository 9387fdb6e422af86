import { applyStoredTheme } from '../lib/browser/theme.ts';

// Runs before the first paint, as public/theme.js does on other pages.
applyStoredTheme();
