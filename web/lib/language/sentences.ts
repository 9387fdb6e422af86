import type { Messages } from '@lingui/core';
import { fillMessage, RULE_ERRORS, type RuleErrorCode } from '../../../contracts/rule-errors.ts';
import { createSentenceReader } from '../../../contracts/values/sentences.ts';
import { i18n } from './messages.tsx';

/** Those of the contracts' catalogues have their English texts as ids. Admin messages are added later. */
let read: { from: Messages; sentence: ReturnType<typeof createSentenceReader> } | undefined;

/** A finished English sentence of the contracts in the language of the pages; itself if it has no translation. */
export function translateSentence(sentence: string): string {
  if (i18n.locale === 'en') return sentence;
  if (read?.from !== i18n.messages)
    read = { from: i18n.messages, sentence: createSentenceReader(Object.keys(i18n.messages)) };
  const found = read.sentence(sentence);
  return found ? i18n._(found.message, found.values) : sentence;
}

/** As `errorMessage`, for rules that pages check before they send anything. */
export function ruleMessage(code: RuleErrorCode, details?: Record<string, unknown>): string {
  return translateSentence(fillMessage(RULE_ERRORS[code].message, details));
}
