import { t } from '@lingui/core/macro';
import { isEmail, uniqueEmails } from '../../../contracts/values/fields.ts';

/** `"Doe, Jane" <jane@example.org>` as mail programs write it, else whatever lies between separators. */
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

/** A short error, or undefined for a valid address. */
export function findEmailMistake(text: string): string | undefined {
  if (isEmail(text)) return undefined;
  const [name = '', domain, ...more] = text.split('@');
  if (domain === undefined) return t`has no @`;
  if (more.length > 0) return t`has more than one @`;
  if (!name) return t`has nothing before the @`;
  if (!domain) return t`has nothing after the @`;
  if (!domain.includes('.') || domain.endsWith('.')) return t`has no ending like .com`;
  return t`is not a valid address`;
}

const NAMED_MISTAKES = 3;

/** One sentence about invalid or too many addresses, or undefined. */
export function describeEmailMistakes(emails: string[], max: number): string | undefined {
  const mistakes = emails.flatMap((email) => {
    const mistake = findEmailMistake(email);
    return mistake ? [`“${email}” ${mistake}`] : [];
  });
  const more = mistakes.length - NAMED_MISTAKES;
  if (mistakes.length > 0)
    return t`Please enter a valid email address: ${mistakes.slice(0, NAMED_MISTAKES).join(', ')}${more > 0 ? t` and ${more} more` : ''}.`;
  return emails.length > max
    ? t`Please enter at most ${max} addresses: these are ${emails.length}.`
    : undefined;
}
