import { type Bytes, utf8 } from './bytes.ts';

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

const hkdf = (salt: Bytes, info: Bytes) => ({ name: 'HKDF', hash: 'SHA-256', salt, info });

/** HKDF with SHA-256 (RFC 5869). The input cannot be read from it again. */
export class Derivation {
  readonly #input: Key;
  readonly #salt: Bytes;

  private constructor(input: Key, salt: Bytes) {
    this.#input = input;
    this.#salt = salt;
  }

  static async create(input: Bytes, salt: Bytes): Promise<Derivation> {
    const usages = ['deriveKey', 'deriveBits'] as const;
    return new Derivation(await crypto.subtle.importKey('raw', input, 'HKDF', false, [...usages]), salt);
  }

  async deriveBytes(info: Bytes, length = 32): Promise<Bytes> {
    return new Uint8Array(await crypto.subtle.deriveBits(hkdf(this.#salt, info), this.#input, length * 8));
  }

  /** Its bytes never exist outside WebCrypto. */
  deriveKey(info: Bytes, algorithm: { name: 'AES-CBC'; length: 256 }, usage: 'encrypt'): Promise<Key> {
    return crypto.subtle.deriveKey(hkdf(this.#salt, info), this.#input, algorithm, false, [usage]);
  }
}

/** PBKDF2 with HMAC-SHA-256 (RFC 8018): 32 bytes. */
export async function stretchPassword(password: string, salt: Bytes, iterations: number): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', utf8(password), 'PBKDF2', false, ['deriveBits']);
  const algorithm = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(algorithm, key, 256));
}
