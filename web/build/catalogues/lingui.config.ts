import { dirname } from 'node:path';
import { defineConfig } from '@lingui/cli';
import babel from '@lingui/cli/api/extractors/babel';
import { formatter } from '@lingui/format-po';
import { LANGUAGES } from '../../../contracts/values/language/languages.ts';
import { mailMessages } from './mail-messages.ts';
import { contractSentences } from './sentence-messages.ts';

/** What the macros import: the current language and the component that shows a message. */
export const LANGUAGE_MODULE = new URL('../../lib/language/messages.tsx', import.meta.url).pathname;

/** Mails and errors. Read by the server (server/platform/language). */
const SERVER = new URL('../../../server', import.meta.url).pathname;
const CLIENT = new URL('../../../client', import.meta.url).pathname;
const CONTRACTS = new URL('../../../contracts', import.meta.url).pathname;
const SERVER_TEXTS = {
  path: `${SERVER}/platform/language/locales/{locale}`,
  include: [`${SERVER}/features/**/*.ts`, `${SERVER}/platform/**/*.ts`, `${CONTRACTS}/errors.ts`],
  exclude: ['**/*.test.*'],
};

/** Read by the server and by pages (web/lib/language/sentences.ts). */
const CHECKS = {
  path: `${CONTRACTS}/locales/{locale}`,
  include: [`${CONTRACTS}/**/*.ts`, `${CLIENT}/*.ts`],
  exclude: ['**/*.test.*', `${CONTRACTS}/errors.ts`, `${CONTRACTS}/admin/**`],
};
const ADMIN_CHECKS = {
  path: `${CONTRACTS}/admin/locales/{locale}`,
  include: [`${CONTRACTS}/admin/*.ts`],
  exclude: ['**/*.test.*'],
};

const ROOMS = [
  'api',
  'app',
  'components',
  'encrypted',
  'key-ring',
  'lib',
  'paying',
  'signing-in',
  'transfer-settings',
  'uploading',
];

/**
 * One catalogue per feature and per shared room, `locales/en.po` in its folder. `npm run messages` brings them up to
 * date with the sources.
 */
export default defineConfig({
  rootDir: dirname(dirname(import.meta.dirname)),
  sourceLocale: 'en',
  locales: Object.keys(LANGUAGES),
  catalogs: [catalogueOf('features/{name}'), ...ROOMS.map(catalogueOf), SERVER_TEXTS, CHECKS, ADMIN_CHECKS],
  extractors: [mailMessages, contractSentences, babel],
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
