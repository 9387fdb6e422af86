// Runs before the first paint so that the chosen theme never flashes. A classic script of its own, because
// the content security policy allows no inline scripts. Dark is the default.
(() => {
  let theme = 'dark';
  try {
    if (localStorage.getItem('theme') === 'light') theme = 'light';
  } catch {
    // Storage may be switched off; the default stands.
  }
  document.documentElement.dataset.theme = theme;
})();
