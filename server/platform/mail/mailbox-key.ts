/** Providers that ignore dots in the local part, with the canonical domain of each. */
const DOTLESS = new Map([
  ['gmail.com', 'gmail.com'],
  ['googlemail.com', 'gmail.com'],
]);

/**
 * The key an address is counted by in mail limits: the same for all spellings that usually reach one mailbox. Ignores
 * case, tags (`rex+news@…`) and, for providers that do, dots. Not an address: two people may share a key on a server
 * that treats tags differently.
 */
export function mailboxKey(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at).toLowerCase();
  const domain = email.slice(at + 1).toLowerCase();
  const untagged = local.replace(/(?<=.)\+.*$/, '');
  const dotless = DOTLESS.get(domain);
  return dotless ? `${untagged.replaceAll('.', '')}@${dotless}` : `${untagged}@${domain}`;
}
