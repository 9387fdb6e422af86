import { toUploadRequest } from '../../client/upload-plan.ts';
import { TransferSettings } from '../../contracts/transfers/transfers.ts';
import type { TransferSettingsInput, UploadRequest } from '../../contracts/transfers/uploads/uploads.ts';
import { shareLink } from '../../contracts/values/addresses/links.ts';
import { createEncryption, deriveKeys, type TransferKeys } from '../../encryption/keys.ts';
import { encryptedLink, formatKey, parseKey } from '../../encryption/link.ts';
import { createFileId } from '../../encryption/segments.ts';
import { wireSize } from './chunk-reader.ts';
import { mimeTypeOf, type SourceFile } from './collect-files.ts';
import type { SendEncryption, UnfinishedSend } from './journal.ts';

export async function createSendEncryption(settings: TransferSettingsInput): Promise<SendEncryption> {
  const { password } = TransferSettings.parse(settings);
  const { linkSecret, params, accessKeyHash } = await createEncryption({ password });
  return { key: formatKey(linkSecret), params, accessKeyHash };
}

/** A file that changed gets a new id, so that nobody can mix segments of its versions. */
export function newFileId(): { fileId: string } {
  return { fileId: createFileId() };
}

export type Sealing = Pick<TransferKeys, 'content' | 'manifest'>;

/** Undefined if the transfer is not encrypted. */
export async function startSealing({ encryption, settings }: UnfinishedSend): Promise<Sealing | undefined> {
  if (!encryption) return undefined;
  const { password } = TransferSettings.parse(settings);
  return await deriveKeys({ linkSecret: parseKey(encryption.key)!, password, params: encryption.params });
}

/** For the call that creates the transfer. */
export function newEncryption({ encryption }: UnfinishedSend) {
  return encryption && { encryption: { ...encryption.params, accessKeyHash: encryption.accessKeyHash } };
}

const EXECUTABLE_MODE = 0o755;

/** Of an encrypted file, the server learns neither name, type, time nor permissions. */
export function toRequest(file: SourceFile): UploadRequest {
  const { fileId, size, relativePath, mtimeMs, isExecutable } = file;
  if (fileId === undefined)
    return toUploadRequest({
      relativePath,
      size,
      mimeType: mimeTypeOf(relativePath),
      modifiedAt: mtimeMs,
      mode: isExecutable ? EXECUTABLE_MODE : undefined,
    });
  return toUploadRequest({
    relativePath: fileId,
    size: wireSize(file),
    mimeType: 'application/octet-stream',
  });
}

/** What the server may know. The rest is in the manifest or part of the key. */
export function serverSettings({ encryption, settings }: UnfinishedSend): TransferSettingsInput {
  if (!encryption) return settings;
  const { title: _title, message: _message, password: _password, ...rest } = settings;
  return rest;
}

/** With the key of an encrypted transfer. Undefined until the server has told the token. */
export function describeLink({ server, encryption, token, linkToken }: UnfinishedSend): string | undefined {
  if (!encryption) return token && shareLink(server, token);
  const known = token ?? linkToken;
  return known && encryptedLink(server, known, parseKey(encryption.key)!);
}
