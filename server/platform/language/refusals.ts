import type { FieldErrors } from '../../../contracts/errors.ts';
import type { LanguageCode } from '../../../contracts/values/language/languages.ts';
import { createSentenceReader, type ReadSentence } from '../../../contracts/values/language/sentences.ts';
import type { AppError } from '../lib/app-error.ts';
import { type Wording, wordingIn } from '../mail/wording.ts';
import { listMessages } from './catalogues.ts';

/** What people read of an error. */
export type RefusalTexts = { detail: string; errors: FieldErrors | undefined };

const readSentence = createSentenceReader(listMessages());

/** What people wrote is never translated, even if it is one of our words. */
const NAMES = new Set(['name', 'email', 'sender', 'domains', 'shown', 'types']);

/** Sentences without a translation stay English. */
export function translateRefusal({ message, errors }: AppError, language: LanguageCode): RefusalTexts {
  if (language === 'en') return { detail: message, errors };
  const wording = wordingIn(language);
  const translate = (sentence: string) => translateSentence(sentence, wording);
  return {
    detail: translate(message),
    errors:
      errors && Object.fromEntries(Object.entries(errors).map(([field, each]) => [field, translate(each)])),
  };
}

/** An English sentence in another language; itself if it has no translation. */
function translateSentence(sentence: string, wording: Wording): string {
  const read = readSentence(sentence);
  return read ? fill(read, wording) : sentence;
}

/** Values may be sentences or words of ours: '5 minutes', 'unfinished uploads'. */
function fill({ message, values }: ReadSentence, wording: Wording): string {
  const translated = Object.entries(values).map(([name, value]) => [
    name,
    NAMES.has(name) ? value : translateValue(value, wording),
  ]);
  return wording.t(message, Object.fromEntries(translated));
}

const NUMBER = /^\d{1,3}(?:,\d{3})*$|^\d{1,15}$/;
const SIZE = /^(\d{1,15}(?:\.\d)?)( (?:B|KB|MB|GB))$/;

function translateValue(value: string, wording: Wording): string {
  if (NUMBER.test(value)) return wording.formatCount(Number(value.replaceAll(',', '')));
  const size = SIZE.exec(value);
  if (size) return `${wording.formatTenths(Number(size[1]))}${size[2]}`;
  return translateSentence(value, wording);
}
