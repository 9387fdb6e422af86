import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LANGUAGE_CODES } from '../../../contracts/values/language/languages.ts';
import { parseCatalogue } from './catalogues.ts';
import { listValueNames } from './format-message.ts';

const TRANSLATED = LANGUAGE_CODES.filter((language) => language !== 'en');
const FOLDERS = ['server/platform/language/locales', 'contracts/locales', 'contracts/admin/locales'];

function readCatalogue(folder: string, language: string) {
  return parseCatalogue(readFileSync(new URL(`../../../${folder}/${language}.po`, import.meta.url), 'utf8'));
}

for (const folder of FOLDERS)
  for (const language of TRANSLATED) {
    test(`every text of ${folder} has a translation into ${language}, and none is left over`, () => {
      const english = readCatalogue(folder, 'en');
      const catalogue = readCatalogue(folder, language);
      const missing = [...english.keys()].filter((message) => !catalogue.get(message));
      assert.deepEqual(missing, [], `Add these to ${folder}/${language}.po`);
      const unused = [...catalogue.keys()].filter((message) => !english.has(message));
      assert.deepEqual(unused, [], 'Run npm run messages');
    });

    test(`translations of ${folder} into ${language} are well-formed and use the values of their messages`, () => {
      for (const [message, translation] of readCatalogue(folder, language))
        assert.deepEqual(listValueNames(translation), listValueNames(message), translation);
    });
  }

test('catalogues are read with wrapped lines, escapes and without obsolete entries', () => {
  const po = `
msgid ""
msgstr ""
"Language: de\\n"

#: server/x.ts
msgid "Say \\"hello\\""
msgstr ""
"Sagen Sie "
"\\"Hallo\\"\\n"

msgid "Empty"
msgstr ""

#~ msgid "Old"
#~ msgstr "Alt"
`;
  assert.deepEqual(
    [...parseCatalogue(po)],
    [
      ['Say "hello"', 'Sagen Sie "Hallo"\n'],
      ['Empty', ''],
    ],
  );
});
