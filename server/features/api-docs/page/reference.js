// Draws the reference from the document. A classic script of its own: the page's policy allows no inline ones.
(() => {
  const KEY = 'theme';
  const CANVAS = { dark: '#0a0f0c', light: '#f4f3ec' };
  const root = document.documentElement;
  const toggle = document.querySelector('[data-theme-toggle]');

  /** Nothing is asked of anybody but this server: no fonts, no agent, no counting, no proxy. */
  const configurationFor = (theme) => ({
    url: '/api/openapi.json',
    theme: 'none',
    forceDarkModeState: theme,
    hideDarkModeToggle: true,
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    telemetry: false,
    showDeveloperTools: 'never',
    hideClientButton: true,
    // The samples that are shown are those we run.
    hiddenClients: true,
    documentDownloadType: 'none',
    defaultOpenFirstTag: false,
    authentication: { preferredSecurityScheme: 'apiKey' },
    metaData: { title: 'API reference · Sendwell' },
  });

  const currentTheme = () => (root.dataset.theme === 'light' ? 'light' : 'dark');
  window.Scalar.createApiReference('#reference', configurationFor(currentTheme()));

  const show = (theme) => {
    root.dataset.theme = theme;
    document.querySelector('meta[name="theme-color"]').content = CANVAS[theme];
    toggle.setAttribute('aria-label', `Switch to ${theme === 'dark' ? 'light' : 'dark'} theme`);
    // The library reads its state only once, and then goes by these.
    for (const each of ['dark', 'light']) document.body.classList.toggle(`${each}-mode`, each === theme);
  };

  toggle.addEventListener('click', () => {
    const theme = currentTheme() === 'dark' ? 'light' : 'dark';
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // Storage may be switched off; the choice then lasts as long as the page.
    }
    show(theme);
  });
  addEventListener('storage', ({ key, newValue }) => {
    // Without a value, the theme follows the system from the next page on.
    if (key === KEY && newValue !== null) show(newValue === 'light' ? 'light' : 'dark');
  });
  show(currentTheme());
})();
