/** Providers that ignore dots in the local part, and their canonical domains. */
const DOTLESS = new Map([
  ['gmail.com', 'gmail.com'],
  ['googlemail.com', 'gmail.com'],
]);

/**
 * The key for mail limits: equal for spellings that usually reach one mailbox. Ignores case, tags
 * (`rex+news@…`) and, for some providers, dots. Not an address: two people may share a key.
 */
export function mailboxKey(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at).toLowerCase();
  const domain = email.slice(at + 1).toLowerCase();
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  const dotless = DOTLESS.get(domain);
  return dotless ? `${untagged.replaceAll('.', '')}@${dotless}` : `${untagged}@${domain}`;
}
