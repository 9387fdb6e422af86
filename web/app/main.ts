import '../lib/browser/zod-without-eval.ts';
import { t } from '@lingui/core/macro';
import { activateOwnLanguage } from '../lib/language/messages.tsx';
import { loadPersistently } from '../lib/loading/load-persistently.ts';
import '../styles/global.css';

/** The language comes before the modules with texts. The document preloads them, so they don't wait for it. */
async function main(): Promise<void> {
  await activateOwnLanguage();
  try {
    const { start } = await loadPersistently(() => import('./start.tsx'));
    await start();
  } catch {
    offerReload();
  }
}

/** Without the code that draws pages: the connection is bad, or an update of the server has replaced the code. */
function offerReload(): void {
  const root = document.getElementById('root')!;
  root.className = 'frame flex min-h-dvh flex-col items-start justify-center gap-6';
  const retry = document.createElement('button');
  retry.className = 'link';
  retry.textContent = t`Try again`;
  retry.onclick = () => location.reload();
  root.replaceChildren(t`Sendwell could not be loaded. Check your connection and try again.`, retry);
}

void main();
