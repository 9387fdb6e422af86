import { CommandError, EXIT } from '../../command-line/exit-codes.ts';
import type { EncryptionParams } from '../../contracts/transfers/encryption.ts';
import { DamagedSegmentError, UnknownFormatError, WrongKeyError } from '../../encryption/errors.ts';
import { deriveKeys, needsPassword, type TransferKeys } from '../../encryption/keys.ts';
import { formatKey, parseKey } from '../../encryption/link.ts';

export type LinkSecret = NonNullable<ReturnType<typeof parseKey>>;

export type LinkKeys = { linkSecret: LinkSecret; password?: string | undefined; params: EncryptionParams };

/** All that the keys are derived from, as it is stored in a journal. */
export type StoredLinkKeys = {
  /** '1.KEY', as in the link. */
  key: string;
  password?: string | undefined;
  params: EncryptionParams;
};

export function storeLinkKeys({ linkSecret, password, params }: LinkKeys): StoredLinkKeys {
  return { key: formatKey(linkSecret), password, params };
}

export function restoreLinkKeys({ key, password, params }: StoredLinkKeys): LinkKeys {
  return { linkSecret: parseKey(key)!, password, params };
}

/** Throws CommandError if the key or the password is wrong. */
export async function deriveLinkKeys(facts: LinkKeys): Promise<TransferKeys> {
  try {
    return await deriveKeys(facts);
  } catch (error) {
    if (!(error instanceof WrongKeyError)) throw toReadableError(error);
    throw new CommandError(
      EXIT.signIn,
      needsPassword(facts.params)
        ? 'The password is wrong, or the key in this link is.'
        : 'The key in this link is wrong. Copy the whole link again.',
    );
  }
}

export function missingKeyError(): CommandError {
  return new CommandError(
    EXIT.refused,
    'This transfer is end-to-end encrypted, and this link has no key. Use the whole link, in quotes.',
  );
}

/** Of what the sender sealed for all files together. Returns other errors unchanged. */
export function toReadableError(error: unknown): unknown {
  if (error instanceof UnknownFormatError)
    return new CommandError(EXIT.failed, 'This transfer was encrypted by a newer version of Sendwell.');
  if (error instanceof DamagedSegmentError)
    return new CommandError(
      EXIT.failed,
      'The list of files is damaged: it is not what the sender encrypted.',
    );
  return error;
}
