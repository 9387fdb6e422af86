import { loadForUser } from '../../lib/loading/load-for-user.ts';
import type { EngineState } from '../engine/engine-state.ts';
import type { OpenSealing } from '../engine/sealing.ts';

/** The encrypted invitation that a visitor sends files to. */
export type EncryptionRequest = {
  invitationId: string;
  invitationToken: string;
  /** The key of the link is sealed for it. */
  inboxKey: string;
};

/** How files are to be encrypted. */
export type EncryptionWish = {
  /** The ID of the user, who gets the key. Of a visitor, what identifies the visit on this device. */
  owner: string;
  /** Becomes part of the key. */
  password: string | undefined;
  request?: EncryptionRequest | undefined;
};

type Options = {
  /** Read whenever it matters, because the form may have changed. */
  wish: () => EncryptionWish | undefined;
  /** The `fileId`s of a resumed transfer's files that are not complete; undefined if none is. */
  listUnfinished: () => ReadonlySet<string> | undefined;
  isJoining: boolean;
};

/** Compares how the files are encrypted with how they should be. */
export class EncryptionControl {
  readonly #options: Options;
  /** Of the keys in use. A resumed draft has a password that only its keys contain. */
  #password: string | undefined;
  #isResumed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Whether the files can go on as they are encrypted. */
  fits({ isEncrypted, link }: Pick<EngineState, 'isEncrypted' | 'link'>): boolean {
    const wish = this.#options.wish();
    if (isEncrypted !== (wish !== undefined)) return false;
    if (!wish || this.#options.isJoining) return true;
    // Until the keys of a resumed draft are open, the password is what opens them.
    if (this.#isResumed && (!link || wish.password === undefined)) return true;
    return wish.password === this.#password;
  }

  /** For a new transfer. */
  begin(): OpenSealing | undefined {
    const wish = this.#options.wish();
    this.#password = wish?.password;
    this.#isResumed = false;
    return wish && this.#open;
  }

  /** For a transfer that was announced before. */
  resume(isEncrypted: boolean): OpenSealing | undefined {
    this.#password = undefined;
    this.#isResumed = true;
    return isEncrypted ? this.#open : undefined;
  }

  #open: OpenSealing = async (transferId) => {
    const { wish, listUnfinished, isJoining } = this.#options;
    const { owner = '', password, request } = wish() ?? {};
    if (transferId !== undefined && this.#isResumed) this.#password = password;
    const { openSealing } = await loadForUser(() => import('./open-sealing.ts'));
    return openSealing({
      owner,
      password,
      request,
      transferId,
      isReady: isJoining,
      unfinished: listUnfinished(),
    });
  };
}
