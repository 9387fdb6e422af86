import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { LANGUAGE_CODES } from '../../../contracts/values/languages.ts';
import { parseCatalogue } from './catalogues.ts';
import { listValueNames } from './format-message.ts';

const TRANSLATED = LANGUAGE_CODES.filter((language) => language !== 'en');
const english = readCatalogue('en');

function readCatalogue(language: string) {
  return parseCatalogue(readFileSync(new URL(`./locales/${language}.po`, import.meta.url), 'utf8'));
}

for (const language of TRANSLATED) {
  test(`every text of a mail has a translation into ${language}, and none is left over`, () => {
    const catalogue = readCatalogue(language);
    const missing = [...english.keys()].filter((message) => !catalogue.get(message));
    assert.deepEqual(missing, [], `Add these to server/platform/language/locales/${language}.po`);
    const unused = [...catalogue.keys()].filter((message) => !english.has(message));
    assert.deepEqual(unused, [], 'Run npm run messages');
  });

  test(`translations into ${language} are well-formed and use the values of their messages`, () => {
    for (const [message, translation] of readCatalogue(language))
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
