import type { TierLimits } from '../../../../contracts/plans/tiers.ts';
import { FILE_ID_PATTERN, plainSize } from '../../../../contracts/transfers/encryption.ts';
import type { NewEncryption, UploadRequest } from '../../../../contracts/transfers/uploads/uploads.ts';
import type { InvitationRow, TransferRow, UploadRow } from '../../../platform/db/schema.ts';
import { AppError } from '../../../platform/lib/app-error.ts';
import { requireEncryptionPolicy, requireFeature } from '../../tiers/index.ts';
import type { Uploader } from '../core/uploader.ts';

const SEALED_MIME_TYPE = 'application/octet-stream';

type NewTarget = { encryption?: NewEncryption | null | undefined; transferId?: string | null | undefined };

/**
 * Only a new transfer can be encrypted. A visitor's has no password, because the owner would not know it. Throws
 * AppError `invalid_input`, `not_allowed`, `tier_required` (a password is part of the keys, but the plan has none).
 */
export function requireNewEncryption(
  { owner, visitor }: Uploader,
  { encryption, transferId }: NewTarget,
): void {
  if (!encryption) return;
  if (transferId) {
    const message = 'Only a new transfer can be encrypted.';
    throw new AppError('invalid_input', { message, errors: { encryption: message } });
  }
  const hasPassword = encryption.kdf.name !== 'none';
  if (visitor && hasPassword) throw new AppError('not_allowed');
  if (hasPassword) requireFeature(owner.tier, 'password');
}

/**
 * Visitors encrypt if the invitation asks for it, and only then: otherwise the key would not reach the owner. Throws
 * AppError `must_be_encrypted`, `not_allowed`.
 */
export function requireInvitedEncryption(
  { encryption: wanted }: Pick<InvitationRow, 'encryption'>,
  isEncrypted: boolean,
): void {
  if (wanted !== null && !isEncrypted)
    throw new AppError('must_be_encrypted', {
      message:
        'This invitation accepts only end-to-end encrypted files. Please send them on the page of its link.',
    });
  if (wanted === null && isEncrypted) throw new AppError('not_allowed');
}

type Announced = {
  transfer: Pick<TransferRow, 'encryption'>;
  limits: TierLimits;
  files: Pick<UploadRequest, 'fileName' | 'relativePath' | 'mimeType' | 'fileSize' | 'modifiedAt' | 'mode'>[];
};

/**
 * Applies the plan's policy, and keeps anything readable out of an encrypted transfer. Throws AppError
 * `encryption_required`, `encryption_forbidden`, `must_be_encrypted`.
 */
export function requireEncryptionRules({ owner, visitor }: Uploader, { transfer, limits, files }: Announced) {
  const isEncrypted = transfer.encryption !== null;
  if (visitor) requireVisitorsAllowed(owner, limits, isEncrypted);
  else requireEncryptionPolicy(limits, isEncrypted);
  if (isEncrypted && !files.every(isSealed)) throw new AppError('must_be_encrypted');
}

/**
 * Applies the plan's policy to visitors, with messages that ask them to tell the owner. Throws AppError
 * `encryption_required`, `encryption_forbidden`.
 */
export function requireVisitorsAllowed(
  { name }: Uploader['owner'],
  { encryption: policy }: TierLimits,
  isEncrypted: boolean,
): void {
  if (policy === 'forbidden' && isEncrypted) {
    const message = `${name} can no longer receive end-to-end encrypted files. Please let them know.`;
    throw new AppError('encryption_forbidden', { message });
  }
  if (policy !== 'required' || isEncrypted) return;
  const message = `${name} can only receive end-to-end encrypted files, which cannot be sent by this link. Please let them know.`;
  throw new AppError('encryption_required', { message });
}

function isSealed(file: Announced['files'][number]): boolean {
  const { fileName, relativePath, mimeType, fileSize, modifiedAt, mode } = file;
  return (
    (modifiedAt ?? mode ?? null) === null &&
    FILE_ID_PATTERN.test(fileName) &&
    (relativePath ?? fileName) === fileName &&
    (mimeType ?? SEALED_MIME_TYPE) === SEALED_MIME_TYPE &&
    plainSize(fileSize) !== undefined
  );
}

type Correction = { fileName?: string | undefined; mimeType?: string | undefined };

/** A completion may repeat name and type, but not replace them by readable ones. Throws AppError `must_be_encrypted`. */
export function requireSealedNames(
  { encryption }: Pick<TransferRow, 'encryption'>,
  { fileName, mimeType }: Correction,
  uploads: Pick<UploadRow, 'fileName'>[],
): void {
  if (encryption === null) return;
  const isSame = fileName === undefined || uploads.every((upload) => upload.fileName === fileName);
  if (!isSame || (mimeType ?? SEALED_MIME_TYPE) !== SEALED_MIME_TYPE) throw new AppError('must_be_encrypted');
}
