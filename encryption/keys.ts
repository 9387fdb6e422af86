import {
  ENCRYPTION_VERSION,
  EncryptionParams,
  KDF_ITERATIONS_MIN,
} from '../contracts/transfers/encryption.ts';
import { type Bytes, concatBytes, fromBase64Url, randomBytes, toBase64Url, utf8 } from './bytes.ts';
import { Derivation, stretchPassword } from './derivation.ts';
import { UnknownFormatError, WrongKeyError } from './errors.ts';
import { XAES_ALGORITHM, XAES_USAGE, type XaesKey } from './xaes.ts';

const LINK_SECRET_BYTES = 32;

/** Seals and opens segments. It cannot be exported, but it can be posted to a worker. */
export type SegmentKey = XaesKey;

export type TransferKeys = {
  content: SegmentKey;
  manifest: SegmentKey;
  pictures: SegmentKey;
  /** Base64url. The server asks for it like for a password. */
  accessKey: string;
};

export type NewEncryption = {
  /** Belongs in the fragment of the link and must never reach the server. */
  linkSecret: Bytes;
  params: EncryptionParams;
  accessKeyHash: string;
  keys: TransferKeys;
};

/** What a new transfer needs. An empty password is none. */
export async function createEncryption({ password }: { password?: string } = {}): Promise<NewEncryption> {
  const linkSecret = randomBytes(LINK_SECRET_BYTES);
  const salt = toBase64Url(randomBytes(16));
  const kdf: EncryptionParams['kdf'] = password
    ? { name: 'pbkdf2-sha-256', iterations: KDF_ITERATIONS_MIN, salt: toBase64Url(randomBytes(16)) }
    : { name: 'none' };
  const { commit, keys } = await derive({ linkSecret, password, salt, kdf });
  return {
    linkSecret,
    params: { version: ENCRYPTION_VERSION, salt, kdf, commit },
    accessKeyHash: toBase64Url(await sha256(fromBase64Url(keys.accessKey))),
    keys,
  };
}

type KeyInput = { linkSecret: Bytes; password?: string; params: EncryptionParams };

/**
 * Throws WrongKeyError if key or password are not the transfer's, and UnknownFormatError for parameters of another
 * version.
 */
export async function deriveKeys({ linkSecret, password, params }: KeyInput): Promise<TransferKeys> {
  const known = EncryptionParams.safeParse(params);
  if (!known.success) throw new UnknownFormatError('These encryption parameters are not supported.');
  const { salt, kdf, commit } = known.data;
  if (linkSecret.length !== LINK_SECRET_BYTES || (kdf.name !== 'none' && !password))
    throw new WrongKeyError('The key or the password is missing.');
  const derived = await derive({ linkSecret, password, salt, kdf });
  // Both values may be known to an attacker, so the comparison need not take constant time.
  if (derived.commit !== commit) throw new WrongKeyError('The key or the password is wrong.');
  return derived.keys;
}

export function needsPassword({ kdf }: EncryptionParams): boolean {
  return kdf.name !== 'none';
}

type Ingredients = { linkSecret: Bytes; password?: string } & Pick<EncryptionParams, 'salt' | 'kdf'>;

async function derive({
  linkSecret,
  password = '',
  salt,
  kdf,
}: Ingredients): Promise<{ commit: string; keys: TransferKeys }> {
  const stretched = kdf.name === 'none' ? new Uint8Array() : await stretch(password, kdf);
  const input = concatBytes(linkSecret, stretched);
  const derivation = await Derivation.create(input, fromBase64Url(salt));
  for (const secret of [stretched, input]) secret.fill(0);
  const deriveKey = (purpose: string) =>
    derivation.deriveKey(utf8(`sw1 ${purpose}`), XAES_ALGORITHM, XAES_USAGE);
  const deriveText = async (purpose: string) =>
    toBase64Url(await derivation.deriveBytes(utf8(`sw1 ${purpose}`)));
  return {
    commit: await deriveText('commit'),
    keys: {
      content: await deriveKey('content'),
      manifest: await deriveKey('manifest'),
      pictures: await deriveKey('pictures'),
      accessKey: await deriveText('access'),
    },
  };
}

type Pbkdf2 = Exclude<EncryptionParams['kdf'], { name: 'none' }>;

/** The password in Unicode form C, because keyboards and systems differ in the form they produce. */
function stretch(password: string, { iterations, salt }: Pbkdf2): Promise<Bytes> {
  return stretchPassword(password.normalize('NFC'), fromBase64Url(salt), iterations);
}

async function sha256(bytes: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}
