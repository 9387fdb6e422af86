import { dirname } from 'node:path';
import { defineConfig } from '@lingui/cli';
import babel from '@lingui/cli/api/extractors/babel';
import { formatter } from '@lingui/format-po';
import { LANGUAGES } from '../../contracts/values/languages.ts';
import { mailMessages } from './mail-messages.ts';

/** What the macros import: the current language and the component that shows a message. */
export const LANGUAGE_MODULE = new URL('../lib/language/messages.tsx', import.meta.url).pathname;

/** Read by the server (server/platform/mail/language). */
const SERVER = new URL('../../server', import.meta.url).pathname;
const MAILS = {
  path: `${SERVER}/platform/mail/locales/{locale}`,
  include: [`${SERVER}/features/**/*.ts`, `${SERVER}/platform/mail/**/*.ts`],
  exclude: ['**/*.test.*'],
};

const ROOMS = ['api', 'app', 'components', 'lib', 'paying', 'signing-in', 'transfer-settings', 'uploading'];

/**
 * One catalogue per feature and per shared room, `locales/en.po` in its folder. `npm run messages` brings them up to
 * date with the sources.
 */
export default defineConfig({
  rootDir: dirname(import.meta.dirname),
  sourceLocale: 'en',
  locales: Object.keys(LANGUAGES),
  catalogs: [catalogueOf('features/{name}'), ...ROOMS.map(catalogueOf), MAILS],
  extractors: [mailMessages, babel],
  runtimeConfigModule: { i18n: [LANGUAGE_MODULE, 'i18n'], Trans: [LANGUAGE_MODULE, 'Trans'] },
  // Line numbers would change the catalogues with every edit.
  format: formatter({ lineNumbers: false }),
  orderBy: 'origin',
});

function catalogueOf(room: string) {
  return {
    path: `<rootDir>/${room}/locales/{locale}`,
    include: [`<rootDir>/${room}`],
    exclude: ['**/*.test.*'],
  };
}
