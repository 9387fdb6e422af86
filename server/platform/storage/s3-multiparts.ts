import type { MultipartNote, PartNotes } from './part-notes.ts';
import type { S3Objects } from './s3-objects.ts';

type Deps = {
  notes: PartNotes;
  objects: S3Objects;
  /** Whether parts that come straight from a browser, with their CRC-32, are to be taken. */
  takesDirectParts: () => boolean;
};

/** Begins the multipart uploads of long files, one for each. */
export class S3Multiparts {
  readonly #deps: Deps;
  readonly #beginning = new Map<string, Promise<void>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Idempotent; those who want the same one begun wait for one beginning. */
  async begin(storageKey: string): Promise<void> {
    await this.#once(storageKey, () => this.#beginUnlessNoted(storageKey));
  }

  /** Somebody else (a life-cycle rule) has thrown the multipart upload away: its parts must come again. */
  async beginAgain(storageKey: string, lost: MultipartNote | undefined): Promise<void> {
    await this.#once(storageKey, async () => {
      if (lost) await this.#deps.notes.forgetMultipart(storageKey, lost.multipartId);
      await this.#beginUnlessNoted(storageKey);
    });
  }

  /** Another process may begin the same one just now: the first that is noted stands. */
  async #beginUnlessNoted(storageKey: string): Promise<void> {
    const { notes, objects, takesDirectParts } = this.#deps;
    if (await notes.findMultipart(storageKey)) return;
    const carriesCrc32 = takesDirectParts();
    const multipartId = await objects.beginMultipart(storageKey, carriesCrc32);
    const standing = await notes.saveMultipart(storageKey, { multipartId, carriesCrc32 });
    if (standing.multipartId !== multipartId) await objects.abortMultipart(storageKey, multipartId);
  }

  async #once(storageKey: string, begin: () => Promise<void>): Promise<void> {
    const running =
      this.#beginning.get(storageKey) ?? begin().finally(() => this.#beginning.delete(storageKey));
    this.#beginning.set(storageKey, running);
    await running;
  }
}
