import { globSync } from 'node:fs';
import type { Plugin } from 'vite';
import { LANGUAGES } from '../../../contracts/values/language/languages.ts';

const WEB = new URL('../..', import.meta.url).pathname;
const ALL = 'virtual:catalogues';
const ONE = 'virtual:catalogue/';
/** Not part of `virtual:catalogues`: these rooms load their own. */
const OTHER_ROOMS = /^(?:encrypted|features\/(?:admin|landing|legal))\//;

/**
 * Joins the catalogues of a language to one module, because a list of every room and language would add 3 kB to each
 * page: `virtual:catalogues` exports how to load each language.
 */
export function catalogues(): Plugin {
  return {
    name: 'catalogues',
    resolveId: (id) => (id === ALL || id.startsWith(ONE) ? `\0${id}` : undefined),
    load(id) {
      if (id === `\0${ALL}`) return listLanguages();
      return id.startsWith(`\0${ONE}`) ? joinRooms(id.slice(ONE.length + 1)) : undefined;
    },
  };
}

function listLanguages(): string {
  const languages = Object.keys(LANGUAGES).filter((language) => language !== 'en');
  const loaders = languages.map(
    (language) => `'${language}.po': () => import('${ONE}${language}').then(({ messages }) => messages)`,
  );
  return `export const catalogues = { ${loaders.join(', ')} };`;
}

function joinRooms(language: string): string {
  const rooms = globSync(`**/locales/${language}.po`, { cwd: WEB, exclude: ['node_modules'] })
    .filter((path) => !OTHER_ROOMS.test(path))
    .sort();
  rooms.push(`../contracts/locales/${language}.po`);
  const imports = rooms.map(
    (path, index) => `import { messages as room${index} } from ${JSON.stringify(WEB + path)};`,
  );
  const all = rooms.map((_path, index) => `...room${index}`).join(', ');
  return [...imports, `export const messages = { ${all} };`].join('\n');
}
