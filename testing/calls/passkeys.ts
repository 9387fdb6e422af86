import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isoCBOR } from '@simplewebauthn/server/helpers';
import { addPasskey as addPasskeyCall, beginPasskey } from '../../contracts/accounts/sign-in/factors.ts';
import type {
  PasskeyAssertion,
  PasskeyAttestation,
  PasskeyCreation,
  PasskeyRequest,
} from '../../contracts/accounts/sign-in/passkeys.ts';
import type { TestServer } from '../test-context.ts';
import type { Client } from './client.ts';

/** What a hostile browser or authenticator does differently. */
type Answer = {
  origin?: string;
  rpId?: string;
  challenge?: string;
  type?: string;
  isVerified?: boolean;
  counter?: number;
  userHandle?: string | undefined;
  /** Signs with another key. */
  isForged?: boolean;
};

const USER_PRESENT = 1;
const USER_VERIFIED = 1 << 2;
const BACKUP_ELIGIBLE = 1 << 3;
const BACKED_UP = 1 << 4;
const HAS_CREDENTIAL = 1 << 6;

const base64Url = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (bytes: Uint8Array | string) => createHash('sha256').update(bytes).digest();

/** A WebAuthn authenticator with one passkey (ES256), and the browser in front of it. */
export class Authenticator {
  readonly #origin: string;
  readonly #id = randomBytes(32);
  readonly #keys = newKeys();
  readonly #isSynced: boolean;
  readonly #aaguid: Buffer;
  #userHandle = '';
  /** Undefined: it doesn't count, so its counter stays 0. */
  counter: number | undefined;

  constructor(
    { context }: Pick<TestServer, 'context'>,
    {
      counter,
      isSynced = false,
      aaguid = '',
    }: { counter?: number; isSynced?: boolean; aaguid?: string } = {},
  ) {
    this.#origin = new URL(context.config.publicUrl).origin;
    this.counter = counter;
    this.#isSynced = isSynced;
    this.#aaguid = Buffer.alloc(16);
    this.#aaguid.write(aaguid.replaceAll('-', ''), 'hex');
  }

  get id(): string {
    return base64Url(this.#id);
  }

  create(options: PasskeyCreation, answer: Answer = {}): PasskeyAttestation {
    this.#userHandle = options.user.id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#id.length);
    const authData = Buffer.concat([
      this.#authenticatorData(options.rp.id, HAS_CREDENTIAL, answer),
      this.#aaguid,
      length,
      this.#id,
      toCose(this.#keys.publicKey),
    ]);
    const parts = { fmt: 'none', attStmt: new Map(), authData: new Uint8Array(authData) };
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: { credProps: { rk: true } },
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, answer),
        attestationObject: base64Url(isoCBOR.encode(new Map(Object.entries(parts)) as never)),
        transports: ['internal'],
      },
    };
  }

  get({ challenge, rpId }: PasskeyRequest, answer: Answer = {}): PasskeyAssertion {
    if (this.counter !== undefined) this.counter += 1;
    const authenticatorData = this.#authenticatorData(rpId, 0, answer);
    const clientDataJSON = this.#clientData('webauthn.get', challenge, answer);
    const { privateKey } = answer.isForged ? newKeys() : this.#keys;
    const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))]);
    return {
      id: this.id,
      rawId: this.id,
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON,
        authenticatorData: base64Url(authenticatorData),
        signature: base64Url(sign('sha256', signed, privateKey)),
        userHandle: 'userHandle' in answer ? answer.userHandle : this.#userHandle,
      },
    };
  }

  #authenticatorData(rpId: string, flags: number, answer: Answer): Buffer {
    const verified = (answer.isVerified ?? true) ? USER_VERIFIED : 0;
    const synced = this.#isSynced ? BACKUP_ELIGIBLE | BACKED_UP : 0;
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(answer.counter ?? this.counter ?? 0);
    const byte = USER_PRESENT | verified | synced | flags;
    return Buffer.concat([sha256(answer.rpId ?? rpId), Buffer.from([byte]), counter]);
  }

  #clientData(type: string, challenge: string, answer: Answer): string {
    const { origin = this.#origin } = answer;
    const data = { type: answer.type ?? type, challenge: answer.challenge ?? challenge, origin };
    return base64Url(JSON.stringify({ ...data, crossOrigin: false }));
  }
}

function newKeys() {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** RFC 9052: kty EC2, alg ES256, crv P-256. */
function toCose(key: KeyObject): Uint8Array {
  const { x, y } = key.export({ format: 'jwk' });
  const bytes = (part: string | undefined) => new Uint8Array(Buffer.from(part!, 'base64url'));
  const map = new Map<number, number | Uint8Array>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, bytes(x)],
    [-3, bytes(y)],
  ]);
  return isoCBOR.encode(map as never);
}

/** Adds a passkey to the client's account. */
export async function addPasskey(
  server: Pick<TestServer, 'context'>,
  client: Client,
  authenticator = new Authenticator(server),
) {
  const response = authenticator.create(await client.call(beginPasskey));
  const { passkey, recoveryCodes = [] } = await client.call(addPasskeyCall, { body: { response } });
  return { authenticator, passkey, recoveryCodes };
}
