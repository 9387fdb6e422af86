import { t } from '@lingui/core/macro';
import { isEmail, uniqueEmails } from '../../../contracts/values/fields.ts';

/** `"Doe, Jane" <jane@example.org>` as mail programs write it, or any text between separators. */
const ENTRY = /(?:"[^"]*"|[^,;\n<>"])*<([^<>]*)>|(?:"[^"]*"|[^,;\n"])+|"/g;
const WRAPPING = /^[\s"'“”(<[]+|[\s"'“”)>\]]+$/g;

/**
 * The addresses in a typed or pasted text, separated by commas, semicolons, lines or spaces, each once. Names around
 * an address are removed. Invalid entries stay, so that the user can correct them.
 */
export function parseEmails(text: string): string[] {
  const entries = [...text.matchAll(ENTRY)].flatMap(([entry, address]) => address ?? splitAtSpaces(entry));
  return uniqueEmails(entries.map((entry) => entry.replace(WRAPPING, '').replace(/^mailto:/i, '')));
}

/** Text without any address counts as one mistake. */
function splitAtSpaces(entry: string): string[] {
  return entry.includes('@') ? entry.trim().split(/\s+/) : [entry];
}

/** What is wrong with an address, or undefined for a valid one. */
export function findEmailMistake(email: string): string | undefined {
  if (isEmail(email)) return undefined;
  const [name = '', domain, ...more] = email.split('@');
  if (domain === undefined) return t`“${email}” has no @`;
  if (more.length > 0) return t`“${email}” has more than one @`;
  if (!name) return t`“${email}” has nothing before the @`;
  if (!domain) return t`“${email}” has nothing after the @`;
  if (!domain.includes('.') || domain.endsWith('.')) return t`“${email}” has no ending like .com`;
  return t`“${email}” is not a valid address`;
}

const NAMED_MISTAKES = 3;

/** One sentence about invalid or too many addresses, or undefined. */
export function describeEmailMistakes(emails: string[], max: number): string | undefined {
  const mistakes = emails.map(findEmailMistake).filter((mistake) => mistake !== undefined);
  const named = mistakes.slice(0, NAMED_MISTAKES).join(', ');
  const more = mistakes.length - NAMED_MISTAKES;
  if (more > 0) return t`Please enter a valid email address: ${named} and ${more} more.`;
  if (mistakes.length > 0) return t`Please enter a valid email address: ${named}.`;
  const count = emails.length;
  return count > max ? t`Please enter at most ${max} addresses. You entered ${count}.` : undefined;
}
