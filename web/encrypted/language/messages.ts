import catalogues from 'virtual:page-catalogues';
import { type Messages, setupI18n } from '@lingui/core';
import { setFormatLanguage } from '../../../contracts/values/format.ts';
import { browserLanguage, chosenLanguage, followedLanguage } from '../../lib/language/language.ts';

const language = chosenLanguage() ?? followedLanguage() ?? browserLanguage();

/** What the macros `t` and `plural` compile to on this page. English is in the code. */
export const i18n = setupI18n({ locale: language, messages: { [language]: {} } });

setFormatLanguage(language);
document.documentElement.lang = language;

/**
 * Must be called before any text is drawn. The script knows each catalogue's hash, so that the hash of the script covers
 * them. Without its catalogue, the page is English.
 */
export async function loadMessages(): Promise<void> {
  const catalogue = catalogues[language];
  if (!catalogue) return;
  try {
    const response = await fetch(catalogue.path, { integrity: catalogue.integrity });
    i18n.load(language, (await response.json()) as Messages);
  } catch {
    document.documentElement.lang = 'en';
  }
}
