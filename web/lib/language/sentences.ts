import type { Messages } from '@lingui/core';
import type { createSentenceReader } from '../../../contracts/values/language/sentences.ts';
import { i18n, sentences } from './messages.tsx';

/** Those of the contracts' catalogues have their English texts as ids. Admin messages are added later. */
let read: { from: Messages; sentence: ReturnType<typeof createSentenceReader> } | undefined;

/** A finished English sentence of the contracts in the language of the pages; itself if it has no translation. */
export function translateSentence<Sentence extends string | undefined>(
  sentence: Sentence,
): Sentence | string {
  if (!sentences || i18n.locale === 'en' || sentence === undefined) return sentence;
  if (read?.from !== i18n.messages)
    read = { from: i18n.messages, sentence: sentences.createSentenceReader(Object.keys(i18n.messages)) };
  const found = read.sentence(sentence);
  return found ? i18n._(found.message, found.values) : sentence;
}
