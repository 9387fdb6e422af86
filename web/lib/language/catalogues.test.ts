import { globSync, readFileSync } from 'node:fs';
import { formatter } from '@lingui/format-po';
import { expect, test } from 'vitest';
import { LANGUAGES } from '../../../contracts/values/language/languages.ts';

const WEB = new URL('../../', import.meta.url).pathname;
const po = formatter({ lineNumbers: false });
const TRANSLATED = Object.keys(LANGUAGES).filter((language) => language !== 'en');

for (const language of TRANSLATED) {
  test(`every message has a translation into ${LANGUAGES[language]}`, async () => {
    for (const room of globSync('**/locales/en.po', { cwd: WEB, exclude: ['node_modules/**'] })) {
      const english = await readCatalogue(room, 'en');
      const translated = await readCatalogue(room.replace('en.po', `${language}.po`), language);
      const missing = Object.keys(english).filter((id) => !translated[id]);
      expect(missing, `${room}: add these to ${language}.po`).toEqual([]);
    }
  });

  test(`translations into ${LANGUAGES[language]} use the values and tags of their messages`, async () => {
    for (const file of globSync(`**/locales/${language}.po`, { cwd: WEB, exclude: ['node_modules/**'] })) {
      const english = await readCatalogue(file.replace(`${language}.po`, 'en.po'), 'en');
      for (const [id, translation] of Object.entries(await readCatalogue(file, language)))
        if (english[id]) expect(listMarks(translation), translation).toEqual(listMarks(english[id]));
    }
  });
}

/** Texts by message id. */
async function readCatalogue(file: string, locale: string): Promise<Record<string, string>> {
  const context = { locale, sourceLocale: 'en', filename: file };
  const catalogue = await po.parse(readFileSync(WEB + file, 'utf8'), context);
  return Object.fromEntries(
    Object.entries(catalogue)
      .filter(([, { obsolete }]) => !obsolete)
      .map(([id, { message, translation }]) => [id, (locale === 'en' ? message : translation) ?? '']),
  );
}

/** `{name}` and `<0>`, each once. Branches of plurals may use a value any number of times. */
function listMarks(text: string): string[] {
  const marks = [...text.matchAll(/\{(\w+)(?=[,}])|<\/?(\d+)\/?>/g)].map(([mark]) => mark);
  return [...new Set(marks)].toSorted();
}
