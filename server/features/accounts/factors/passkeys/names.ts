import type { LanguageCode } from '../../../../../contracts/values/language/languages.ts';
import { wordingIn } from '../../../../platform/mail/wording.ts';
import { describeUserAgent } from '../../events/new-device.ts';

/** Password managers by the AAGUID of their passkeys. Authenticators that don't name themselves have only zeros. */
const MANAGERS: Record<string, string> = {
  'ea9b8d66-4d01-1d21-3ce4-b6b48cb575d4': 'Google Password Manager',
  'fbfc3007-154e-4ecc-8c0b-6e020557d7bd': 'iCloud Keychain',
  'dd4ec289-e01d-41c9-bb89-70fa845d4bf2': 'iCloud Keychain',
  '08987058-cadc-4b81-b6e1-30de50dcbe96': 'Windows Hello',
  '9ddd1817-af5a-4672-a2b9-3e3dd95000a9': 'Windows Hello',
  '6028b017-b1d4-4c02-b4b3-afcdafc96bb2': 'Windows Hello',
  'bada5566-a7aa-401f-bd96-45619a55120d': '1Password',
  'd548826e-79b4-db40-a3d8-11116f7e8349': 'Bitwarden',
  '531126d6-e717-415c-9320-3d9aa6981239': 'Dashlane',
  '53414d53-554e-4700-0000-000000000000': 'Samsung Pass',
  'f3809540-7f14-49c1-a8b3-8f813b225541': 'Enpass',
  'fdb141b2-5d84-443e-8a35-4698c205a502': 'KeePassXC',
  '50726f74-6f6e-5061-7373-50726f746f6e': 'Proton Pass',
  'b84e4048-15dc-4dd0-8640-f4f60813c8af': 'NordPass',
};

type NewPasskey = { aaguid: string; userAgent: string | undefined; language: LanguageCode | null };

/** A name for a new passkey that differs from those taken: its password manager, or the browser that added it. */
export function namePasskey({ aaguid, userAgent, language }: NewPasskey, taken: readonly string[]): string {
  const name = MANAGERS[aaguid] ?? describeUserAgent(wordingIn(language), userAgent ?? null);
  let unique = name;
  for (let number = 2; taken.includes(unique); number += 1) unique = `${name} ${number}`;
  return unique;
}
