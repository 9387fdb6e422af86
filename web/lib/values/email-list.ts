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
  if (domain === undefined) return 'has no\u00a0@';
  if (more.length > 0) return 'has more than one\u00a0@';
  if (!name) return 'has nothing before the\u00a0@';
  if (!domain) return 'has nothing after the\u00a0@';
  if (!domain.includes('.') || domain.endsWith('.')) return 'has no ending like .com';
  return 'is not a valid address';
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
    return `Please enter a valid email address: ${mistakes.slice(0, NAMED_MISTAKES).join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
  return emails.length > max
    ? `Please enter at most ${max} addresses: these are ${emails.length}.`
    : undefined;
}
