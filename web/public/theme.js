// Runs before the first paint so that the chosen theme never flashes. A classic script of its own, because
// the content security policy allows no inline scripts. Dark is the default. See lib/browser/theme.ts.
(() => {
  let choice = 'dark';
  try {
    const stored = localStorage.getItem('theme');
    if (stored === 'light') choice = 'light';
    else if (stored !== 'dark' && localStorage.getItem('theme-system') === 'on') choice = 'system';
  } catch {
    // Storage may be switched off; the default stands.
  }
  const isSystemLight = choice === 'system' && matchMedia('(prefers-color-scheme: light)').matches;
  const theme = choice === 'light' || isSystemLight ? 'light' : 'dark';
  Object.assign(document.documentElement.dataset, { theme, themeChoice: choice });
  if (theme === 'light')
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', '#f4f3ec');
})();
