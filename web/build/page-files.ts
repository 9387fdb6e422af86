import type { Rolldown } from 'vite';

const WEB = new URL('..', import.meta.url).pathname;

/** The document of the app, and what it imports once the language is known. Both are part of every page. */
export const APP = ['index.html', 'app/start.tsx'];

/** The scripts that these modules load, with everything they import. The paths are relative to web/. */
export function listScripts(bundle: Rolldown.OutputBundle, modules: string[]): Set<string> {
  const chunks = Object.values(bundle).filter((each) => each.type === 'chunk');
  const files = new Set<string>();
  for (const module of modules) {
    const entry = chunks.find(({ facadeModuleId }) => facadeModuleId === WEB + module);
    if (!entry) throw new Error(`web/${module} is not a page; update web/app/loading/early-pages.ts`);
    files.add(entry.fileName);
  }
  for (const file of files) {
    const chunk = bundle[file];
    if (chunk?.type === 'chunk') for (const next of chunk.imports) files.add(next);
  }
  return files;
}
