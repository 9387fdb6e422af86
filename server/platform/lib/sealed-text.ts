import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

type Sealing = {
  secret: string;
  /** Text sealed for one purpose cannot be opened for another. */
  purpose: string;
};

/** So that a stolen database alone doesn't reveal the secret. */
export function sealText(sealing: Sealing, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(sealing), nonce);
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url');
}

/**
 * Undefined if the text was changed, or sealed with another secret or purpose. Also accepts `previousSecret`.
 */
export function openSealedText(
  { previousSecret, ...sealing }: Sealing & { previousSecret?: string | undefined },
  sealed: string,
): string | undefined {
  const opened = openWith(sealing, sealed);
  if (opened !== undefined || previousSecret === undefined) return opened;
  return openWith({ ...sealing, secret: previousSecret }, sealed);
}

function openWith(sealing: Sealing, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  const [nonceEnd, tagEnd] = [NONCE_BYTES, NONCE_BYTES + TAG_BYTES];
  try {
    const decipher = createDecipheriv(CIPHER, keyOf(sealing), bytes.subarray(0, nonceEnd), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd));
    return Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function keyOf({ secret, purpose }: Sealing): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `sendwell sealed ${purpose}`, 32));
}
