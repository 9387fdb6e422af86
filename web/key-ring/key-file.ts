import { z } from 'zod';
import {
  AccessKey,
  EncryptionParams,
  InboxPublicKey,
  KDF_ITERATIONS_MAX,
  KDF_ITERATIONS_MIN,
} from '../../contracts/transfers/encryption.ts';
import { fromBase64Url, randomBytes, toBase64Url, utf8 } from '../../encryption/bytes.ts';
import { parseKey } from '../../encryption/link.ts';
import { findInbox, type KeptInbox, keepInbox } from './inbox-keys.ts';
import { findKey, type KeptKey, keepKey } from './key-ring.ts';

/** 32 bytes in base64url. */
const PrivateKey = AccessKey;

/** A copy of the keys for another browser or a safe place. */
const Keys = z.object({
  format: z.literal('sendwell-keys'),
  version: z.literal(1),
  keys: z.array(
    z.object({
      transferId: z.string().min(1).max(100),
      key: z.string().refine((key) => parseKey(key) !== undefined),
      params: EncryptionParams,
      savedAt: z.number(),
    }),
  ),
  /** Of encrypted invitations. Absent in files of earlier versions. */
  inboxes: z
    .array(
      z.object({
        invitationId: z.string().min(1).max(100),
        publicKey: InboxPublicKey,
        privateKey: PrivateKey,
        savedAt: z.number(),
      }),
    )
    .default([]),
});

const SealedKeys = z.object({
  format: z.literal('sendwell-keys'),
  version: z.literal(1),
  kdf: z.object({
    name: z.literal('pbkdf2-sha-256'),
    iterations: z.int().min(KDF_ITERATIONS_MIN).max(KDF_ITERATIONS_MAX),
    salt: z.string(),
  }),
  /** AES-256-GCM. */
  nonce: z.string(),
  sealed: z.string(),
});

/** The file has a password, which is missing or wrong. */
export class KeyFilePasswordError extends Error {
  override name = 'KeyFilePasswordError';
}

/** The file has no keys in a form that this version can read. */
export class KeyFileError extends Error {
  override name = 'KeyFileError';
}

/** An empty password leaves the file readable. Drafts are left out, because they can continue only in this browser. */
export async function writeKeyFile(
  keys: readonly KeptKey[],
  inboxes: readonly KeptInbox[],
  password: string,
): Promise<Blob> {
  const content = JSON.stringify({
    format: 'sendwell-keys',
    version: 1,
    keys: keys
      .filter(({ isDraft }) => !isDraft)
      .map(({ transferId, key, params, savedAt }) => ({ transferId, key, params, savedAt })),
    inboxes: inboxes.map(({ owner, ...inbox }) => inbox),
  });
  return new Blob([password ? await seal(content, password) : content], { type: 'application/json' });
}

/**
 * Adds the keys of a file to this browser, and returns how many it did not have before. Throws KeyFilePasswordError or
 * KeyFileError.
 */
export async function importKeyFile(file: Blob, password: string, owner: string): Promise<number> {
  const { keys, inboxes } = await readKeyFile(file, password);
  let added = 0;
  for (const key of keys) {
    if (await findKey(key.transferId)) continue;
    await keepKey({ ...key, owner, isDraft: false });
    added += 1;
  }
  for (const inbox of inboxes) {
    if (await findInbox(inbox.invitationId)) continue;
    await keepInbox({ ...inbox, owner });
    added += 1;
  }
  return added;
}

async function readKeyFile(file: Blob, password: string): Promise<z.infer<typeof Keys>> {
  const content = parse(await file.text());
  const sealed = SealedKeys.safeParse(content);
  const keys = Keys.safeParse(sealed.success ? parse(await open(sealed.data, password)) : content);
  if (!keys.success) throw new KeyFileError();
  return keys.data;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new KeyFileError();
  }
}

async function seal(content: string, password: string): Promise<string> {
  const kdf = {
    name: 'pbkdf2-sha-256' as const,
    iterations: KDF_ITERATIONS_MIN,
    salt: toBase64Url(randomBytes(16)),
  };
  const iv = randomBytes(12);
  const key = await deriveKey(password, kdf);
  const sealed = await crypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, utf8(content));
  const file: z.infer<typeof SealedKeys> = {
    format: 'sendwell-keys',
    version: 1,
    kdf,
    nonce: toBase64Url(iv),
    sealed: toBase64Url(new Uint8Array(sealed)),
  };
  return JSON.stringify(file);
}

async function open({ kdf, nonce, sealed }: z.infer<typeof SealedKeys>, password: string): Promise<string> {
  if (!password) throw new KeyFilePasswordError();
  const key = await deriveKey(password, kdf);
  const algorithm = { name: 'AES-GCM', iv: fromBase64Url(nonce) };
  const content = await crypto.subtle
    .decrypt(algorithm, key, fromBase64Url(sealed))
    .catch((cause: Error) => Promise.reject(new KeyFilePasswordError(undefined, { cause })));
  return new TextDecoder().decode(content);
}

async function deriveKey(password: string, { iterations, salt }: z.infer<typeof SealedKeys>['kdf']) {
  const secret = utf8(password.normalize('NFC'));
  const base = await crypto.subtle.importKey('raw', secret, 'PBKDF2', false, ['deriveKey']);
  const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt: fromBase64Url(salt), iterations };
  return crypto.subtle.deriveKey(algorithm, base, { name: 'AES-GCM', length: 256 }, false, [
    'encrypt',
    'decrypt',
  ]);
}
