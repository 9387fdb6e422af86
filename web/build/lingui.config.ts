import { dirname } from 'node:path';
import { defineConfig } from '@lingui/cli';
import { formatter } from '@lingui/format-po';
import { createSwcExtractor } from '@lingui/native-tools';

const ROOMS = ['api', 'app', 'components', 'lib', 'paying', 'transfer-settings', 'uploading'];

/**
 * One catalogue per feature and per shared room, `locales/en.po` in its folder. `npm run messages` brings them up to
 * date with the sources.
 */
export default defineConfig({
  rootDir: dirname(import.meta.dirname),
  sourceLocale: 'en',
  locales: ['en'],
  catalogs: [catalogueOf('features/{name}'), ...ROOMS.map(catalogueOf)],
  extractors: [createSwcExtractor()],
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
