import { readFileSync } from 'node:fs';
import { LANGUAGE_CODES, type LanguageCode } from '../../../contracts/values/language/languages.ts';

/** English text → translation. */
export type Catalogue = ReadonlyMap<string, string>;

/** Mails and errors, and what pages show, too: the checks of the contracts. */
const FOLDERS = ['./locales', '../../../contracts/locales', '../../../contracts/admin/locales'];

/** Read once, at start. English needs none. */
const CATALOGUES = new Map<LanguageCode, Catalogue>(
  LANGUAGE_CODES.filter((language) => language !== 'en').map((language) => [
    language,
    new Map(FOLDERS.flatMap((folder) => [...readCatalogue(folder, language)])),
  ]),
);

function readCatalogue(folder: string, language: LanguageCode): Catalogue {
  return parseCatalogue(readFileSync(new URL(`${folder}/${language}.po`, import.meta.url), 'utf8'));
}

/** All English texts that have translations. */
export function listMessages(): Iterable<string> {
  return CATALOGUES.get('de')!.keys();
}

/** The English text if there is no translation. */
export function translate(message: string, language: LanguageCode): string {
  return CATALOGUES.get(language)?.get(message) || message;
}

/** Reads what `npm run messages` writes: no contexts, no plural forms of gettext. Skips obsolete entries (`#~`). */
export function parseCatalogue(po: string): Catalogue {
  const entries = new Map<string, string>();
  for (const paragraph of po.split(/\n{2,}/)) {
    const id = readField(paragraph, 'msgid');
    if (id) entries.set(id, readField(paragraph, 'msgstr'));
  }
  return entries;
}

/** Joins the strings of a field that is wrapped over several lines. */
function readField(paragraph: string, field: 'msgid' | 'msgstr'): string {
  const lines = new RegExp(`^${field}((?: ?"(?:[^"\\\\]|\\\\.)*"\\n?)+)`, 'm').exec(paragraph)?.[1] ?? '';
  return [...lines.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map(([, text]) => removeEscapes(text!)).join('');
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t' };

function removeEscapes(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => ESCAPES[character] ?? character);
}
