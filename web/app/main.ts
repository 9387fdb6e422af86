import '../lib/browser/zod-without-eval.ts';
import { activateOwnLanguage } from '../lib/language/messages.tsx';
import '../styles/global.css';

/** The language comes before the modules with texts. The document preloads them, so they don't wait for it. */
async function main(): Promise<void> {
  await activateOwnLanguage();
  const { start } = await import('./start.tsx');
  await start();
}

void main();
