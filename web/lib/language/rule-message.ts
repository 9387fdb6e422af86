import { fillMessage, RULE_ERRORS, type RuleErrorCode } from '../../../contracts/rule-errors.ts';
import { translateSentence } from './sentences.ts';

/** As `errorMessage`, for rules that pages check before they send anything. */
export function ruleMessage(code: RuleErrorCode, details?: Record<string, unknown>): string {
  return translateSentence(fillMessage(RULE_ERRORS[code].message, details));
}
