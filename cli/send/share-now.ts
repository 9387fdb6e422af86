import { ApiError } from '../../client/api-error.ts';
import { MAX_FILES_PER_CALL } from '../../contracts/plans/limits.ts';
import { publishTransfer } from '../../contracts/transfers/arrival.ts';
import { completeUploads } from '../../contracts/transfers/uploads/uploads.ts';
import type { OutgoingFile } from './chunk-reader.ts';
import type { SendContext } from './context.ts';
import { describeLink, type Sealing, serverSettings } from './encryption.ts';
import { putEarlyManifest } from './manifest.ts';

/**
 * With `--share-now`, opens the link before the files have arrived, and prints it. Returns undefined without the option.
 * Throws ApiError.
 */
export async function shareNow(
  context: SendContext,
  sealing: Sealing | undefined,
): Promise<string | undefined> {
  const { journal, api, retries, screen, signal } = context;
  const { state } = journal;
  if (!state.isShared) return undefined;
  if (sealing) await putEarlyManifest(context, sealing.manifest);
  const body = { ...serverSettings(state), expectedFiles: state.files.length };
  const params = { id: state.transferId! };
  const { token } = await retries.run(() => api.call(publishTransfer, { params, body, signal }), signal);
  const link = describeLink({ ...state, token })!;
  screen.showEarlyLink(link, { hasKey: sealing !== undefined });
  return link;
}

/**
 * Completes files as soon as all their bytes are stored, while others are being sent. What fails here is completed at
 * the end, and so is the last file: before that, an encrypted transfer gets a manifest with all sums.
 */
export class EarlyCompletion {
  readonly #context: SendContext;
  readonly #waiting: string[] = [];
  #running: Promise<void> | undefined;

  constructor(context: SendContext) {
    this.#context = context;
  }

  add({ uploadId, place }: OutgoingFile): void {
    if (place === this.#context.journal.state.files.length - 1) return;
    this.#waiting.push(uploadId);
    this.#running ??= this.#completeAll().finally(() => {
      this.#running = undefined;
    });
  }

  async end(): Promise<void> {
    await this.#running;
  }

  async #completeAll(): Promise<void> {
    const { api, signal, journal } = this.#context;
    while (this.#waiting.length > 0 && !signal.aborted) {
      const uploadIds = this.#waiting.splice(0, MAX_FILES_PER_CALL);
      const body = { transferId: journal.state.transferId!, uploadIds };
      await api.call(completeUploads, { body, signal }).catch((error: unknown) => {
        if (!(error instanceof ApiError)) this.#waiting.length = 0;
      });
    }
  }
}
