import type { TransferRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';

type ReadableSettings = { title?: unknown; message?: unknown; password?: unknown };

/**
 * Title and message of an encrypted transfer are in its manifest, and its password is part of its key, so the server
 * must not get them. Removing one (null, '') is allowed. Throws AppError `must_be_encrypted`.
 */
export function requireSealedSettings(
  { encryption }: Pick<TransferRow, 'encryption'>,
  { title, message, password }: ReadableSettings,
): void {
  if (encryption !== null && (title || message || password)) throw new AppError('must_be_encrypted');
}
