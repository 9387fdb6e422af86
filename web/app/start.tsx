import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App, preloadPage } from './app.tsx';

/** For code that has not arrived by then a spinner is shown. */
const MAX_WAIT_MS = 300;

/** Renders the application. */
export async function start(): Promise<void> {
  // Errors are reported when the page is rendered.
  const page = preloadPage(window.location.pathname).catch(() => undefined);
  await Promise.race([page, new Promise((resolve) => setTimeout(resolve, MAX_WAIT_MS))]);
  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
