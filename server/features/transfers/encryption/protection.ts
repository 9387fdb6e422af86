import { ENCRYPTION_VERSION, type EncryptionParams } from '../../../../contracts/transfers/encryption.ts';
import type { Transfer } from '../../../../contracts/transfers/transfers.ts';
import { encryptedSharePath, shareLink } from '../../../../contracts/values/addresses/links.ts';
import type { TransferRow } from '../../../platform/db/schema.ts';

/** The password of an encrypted transfer is part of its keys, so the server knows only that there is one. */
export function presentProtection({
  passwordHash,
  encryption: params,
}: Pick<TransferRow, 'passwordHash' | 'encryption'>): Pick<Transfer, 'isPasswordProtected' | 'encryption'> {
  const encryption = params === null ? null : (JSON.parse(params) as EncryptionParams);
  const isPasswordProtected = encryption ? encryption.kdf.name !== 'none' : passwordHash !== null;
  return { isPasswordProtected, encryption };
}

export function encryptionVersionOf({
  encryption,
}: Pick<TransferRow, 'encryption'>): typeof ENCRYPTION_VERSION | null {
  return encryption === null ? null : ENCRYPTION_VERSION;
}

/** Of an encrypted transfer, the link without its key, which the server does not know. */
export function recipientLink(
  publicUrl: string,
  { token, encryption }: Pick<TransferRow, 'token' | 'encryption'>,
  recipientToken: string,
): string {
  if (encryption === null) return shareLink(publicUrl, token, recipientToken);
  return publicUrl + encryptedSharePath(token, recipientToken);
}
