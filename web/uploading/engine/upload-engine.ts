import { t } from '@lingui/core/macro';
import { ApiError, errorDetail } from '../../../client/api-error.ts';
import { createUniqueKey } from '../../../client/call.ts';
import { ChunkSender } from '../../../client/chunk-sender.ts';
import { type Failure, Retries, type RetryPolicy } from '../../../client/retries.ts';
import { SpeedMeter } from '../../../client/speed-meter.ts';
import { type ChunkTask, isWhole } from '../../../client/upload-plan.ts';
import { MAX_FILES_PER_CALL } from '../../../contracts/plans/limits.ts';
import type { CompletedUpload, TransferSettingsInput } from '../../../contracts/transfers/uploads/uploads.ts';
import { translateSentence } from '../../lib/language/sentences.ts';
import {
  countProgress,
  type EnginePhase,
  type EngineState,
  NO_TRANSFER,
  sumTransferredBytes,
  type Trouble,
} from './engine-state.ts';
import { type OpenSealing, type Sealing, withoutSecrets } from './sealing.ts';
import {
  choiceKey,
  forgetMissing,
  type LocalUpload,
  matchUnfinished,
  resetItem,
  toRequest,
  type UploadItem,
} from './upload-item.ts';
import type { UploadTransport } from './upload-transport.ts';

/** One attempt to send, aborted when the upload is cancelled. */
type Run = { stop: AbortController; isCancelled: boolean; ended: Promise<void> };
/** Reads the settings when the transfer is about to complete; undefined if they have mistakes. */
type CollectSettings = () => Promise<TransferSettingsInput | undefined>;
type Adoption = { completedFiles?: number | undefined; isUnchanged?: (item: UploadItem) => boolean };

const TICK_MS = 250;
/** Browsers open six connections per host. */
const MAX_LANES = 6;
/** Limits that last longer, such as daily emails, fail the upload at once. */
const RETRY_POLICY: RetryPolicy = { longestWaitMs: 15_000, longestLimitSeconds: 120, canSignIn: true };
const ACTIVE: EnginePhase[] = ['preparing', 'uploading', 'paused', 'completing'];

/**
 * Uploads selected files: announces them, sends their chunks, completes the transfer, and resumes after interruptions.
 * The bytes can be sent ahead; nothing is public before the transfer is submitted.
 */
export class UploadEngine {
  readonly #transport: UploadTransport;
  readonly #joins: string | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #retries = new Retries({
    policy: RETRY_POLICY,
    onFailure: (failure) => this.#showFailure(failure),
  });
  readonly #meter = new SpeedMeter();
  #items: readonly UploadItem[] = [];
  #collectSettings: CollectSettings | undefined;
  /** Opened when something is sent; undefined if the transfer is not encrypted. */
  #openSealing: OpenSealing | undefined;
  #sealing: Sealing | undefined;
  #sender: ChunkSender<UploadItem> | undefined;
  #run: Run | undefined;
  #ticking: ReturnType<typeof setInterval> | undefined;
  /** Uploads that the server may still have. */
  readonly #unwanted = new Set<string>();
  #aborting: Promise<void> | undefined;
  /** Completes files of a shared transfer as they arrive. */
  #completingEarly: Promise<void> | undefined;
  /** Files of this transfer that an earlier visit completed. */
  #completedFiles = 0;
  #state: EngineState;

  /** With `joins` files are added to that ready transfer, which is never discarded. */
  constructor(transport: UploadTransport, { joins }: { joins?: string | undefined } = {}) {
    this.#transport = transport;
    this.#joins = joins;
    this.#state = this.#snapshot({ ...NO_TRANSFER, transferId: joins });
  }

  get state(): EngineState {
    return this.#state;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  get isActive(): boolean {
    return ACTIVE.includes(this.#state.phase);
  }

  add(items: UploadItem[]): void {
    const known = new Set(this.#items.map(choiceKey));
    this.#items = [...this.#items, ...items.filter((item) => !known.has(choiceKey(item)))];
    this.#update();
  }

  /**
   * Makes the link work while files arrive, with settings that stay. Only once all files are announced. Recipients get
   * each file when its bytes are there. Throws ApiError, NetworkError.
   */
  async share(settings: TransferSettingsInput): Promise<void> {
    const { fileCount } = this.#state;
    const transferId = this.#state.transferId!;
    const run = this.#run!;
    const sealing = this.#sealing;
    // Recipients would wait for them.
    await this.#retries.run(() => this.#abortUnwanted(), run.stop.signal);
    if (sealing) await this.#publishEarly(run, sealing, settings);
    const open = sealing ? withoutSecrets(settings) : settings;
    const { token } = await this.#transport.publish!({ transferId, fileCount, settings: open });
    if (this.#run !== run) return;
    // The server has the settings; completing the last file needs none.
    this.#collectSettings = async () => ({});
    this.#update({ sharedToken: token, isSubmitted: true });
    this.#completeEarly();
  }

  /** Encrypts a transfer that was not announced yet, or goes on with the encryption it was announced with. */
  encryptWith(open: OpenSealing | undefined): void {
    this.#openSealing = open;
    this.#sealing = undefined;
    this.#update({ isEncrypted: open !== undefined, link: undefined });
  }

  /** Removes files from the list, and from the server if they were announced. */
  remove(removed: readonly UploadItem[]): void {
    this.#sealing?.forget(removed);
    for (const item of removed) item.phase = 'removed';
    const rest = this.#items.filter((item) => item.phase !== 'removed');
    // Otherwise a draft without files would stay behind.
    if (rest.length === 0 && !this.#joins && this.#state.transferId) {
      void this.cancel();
      return;
    }
    void this.#abort(removed.flatMap(({ uploadId }) => uploadId ?? []));
    if (rest.length === 0) {
      this.reset();
      return;
    }
    this.#items = rest;
    this.#update();
    void this.#listForRecipients().catch(() => {});
  }

  /**
   * Cancels the transfer, including `missing` files that were not selected again. Takes effect here at once; resolves
   * when the server has deleted it or can't be reached.
   */
  async cancel(missing: LocalUpload[] = []): Promise<void> {
    const { transferId } = this.#state;
    const uploadIds = [...this.#items, ...missing].flatMap(({ uploadId }) => uploadId ?? []);
    if (this.#run) this.#run.isCancelled = true;
    this.reset();
    await this.#deleteOnServer(uploadIds, transferId);
  }

  /** Stops everything and clears the list for the next transfer; the server is not told. */
  reset(): void {
    const reason = new CancelledError();
    this.#run?.stop.abort(reason);
    this.#run = undefined;
    this.#sender?.stop(reason);
    this.#sender = undefined;
    this.#retries.wake();
    this.#stopTicking();
    this.#items = [];
    this.#completedFiles = 0;
    this.#collectSettings = undefined;
    this.#openSealing = undefined;
    this.#sealing = undefined;
    this.#meter.reset();
    this.#update({ ...NO_TRANSFER, transferId: this.#joins });
  }

  /**
   * Resumes the unfinished uploads of one transfer. Uploads that have arrived in full need no file. Returns the
   * uploads whose files are missing. `completedFiles` counts the files that were completed before.
   */
  adopt(
    unfinished: LocalUpload[],
    { completedFiles = 0, isUnchanged = () => true }: Adoption = {},
  ): LocalUpload[] {
    const { arrived, missing, outdated } = matchUnfinished(this.#items, unfinished, isUnchanged);
    this.abandon(outdated);
    this.#items = [...this.#items, ...arrived];
    this.#completedFiles = completedFiles;
    // Files added later resume no upload but belong to the same transfer.
    const [first] = unfinished;
    this.#update({
      transferId: first?.transferId ?? this.#state.transferId,
      sharedToken: first?.sharedToken ?? this.#state.sharedToken,
    });
    return missing;
  }

  /** Aborts unfinished uploads on the server. */
  abandon(uploads: LocalUpload[]): void {
    void this.#abort(uploads.map(({ uploadId }) => uploadId));
  }

  /** Sends the bytes, also of files added meanwhile, without completing the transfer. Resolves like `submit`. */
  sendAhead(): Promise<void> {
    if (this.isActive) return this.#run!.ended;
    return this.#start();
  }

  /**
   * Completes the transfer once its bytes have arrived, with the settings as they are then. Sends what is missing,
   * after a failure only that, and resumes a pause. Resolves when the upload has succeeded, failed, stopped or still needs settings.
   */
  submit(collectSettings: CollectSettings): Promise<void> {
    this.#collectSettings = collectSettings;
    if (!this.isActive) return this.#start();
    this.#update({ isSubmitted: true });
    if (this.#state.phase === 'paused') this.resume();
    return this.#run!.ended;
  }

  pause(): void {
    this.#sender?.pause();
    this.#meter.reset();
    this.#update({ phase: 'paused', trouble: undefined });
  }

  /** Resumes after a pause or after signing in again. */
  resume(): void {
    const wasPaused = this.#state.phase === 'paused';
    this.#update({ trouble: undefined, ...(wasPaused && { phase: 'uploading' }) });
    if (wasPaused) this.#sender?.resume();
    this.#retries.wake();
  }

  /** Retries at once, for instance because the network is back. */
  wake(): void {
    this.#retries.wake();
  }

  #start(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const run = { stop: new AbortController(), isCancelled: false, ended: promise };
    this.#run = run;
    this.#retries.succeed();
    this.#ticking ??= setInterval(() => this.#tick(), TICK_MS);
    this.#replaceChanged();
    for (const item of this.#items) if (item.phase === 'failed') item.phase = 'waiting';
    const isSubmitted = this.#collectSettings !== undefined;
    this.#update({ phase: 'preparing', isSubmitted, error: undefined, refusal: undefined });
    void this.#sendAndComplete(run)
      .catch((error: unknown) => {
        // Cancelled meanwhile: there is nothing to report.
        if (this.#run === run) this.#fail(error);
      })
      .finally(() => {
        if (this.#run === run) this.#stopTicking();
        resolve();
      });
    return promise;
  }

  /** Recipients may have the beginning of a file that changed, so it becomes another upload. */
  #replaceChanged(): void {
    const replaced = this.#items.filter(({ isReplaced }) => isReplaced);
    void this.#abort(replaced.map(({ uploadId }) => uploadId!));
    for (const item of replaced) resetItem(item);
  }

  /** What the server does not get now is tried again before files are announced, shared or completed. */
  async #abort(uploadIds: readonly string[]): Promise<void> {
    for (const uploadId of uploadIds) this.#unwanted.add(uploadId);
    await this.#abortUnwanted().catch(() => {});
  }

  /** Throws ApiError, NetworkError. */
  async #abortUnwanted(): Promise<void> {
    if (this.#aborting) await this.#aborting.catch(() => {});
    const uploadIds = [...this.#unwanted];
    if (uploadIds.length === 0) return;
    this.#aborting = this.#transport.abort(uploadIds);
    await this.#aborting;
    for (const uploadId of uploadIds) this.#unwanted.delete(uploadId);
  }

  #completeEarly(): void {
    const run = this.#run;
    if (this.#state.sharedToken === undefined || !run) return;
    this.#completingEarly ??= this.#completeArrived(run)
      // The last completion tries again, and reports it.
      .catch(() => {})
      .finally(() => {
        this.#completingEarly = undefined;
      });
  }

  async #completeArrived(run: Run): Promise<void> {
    for (;;) {
      // Before its last file is complete, an encrypted transfer gets a manifest with all checksums.
      const kept = this.#sealing && this.#items.at(-1);
      const batch = this.#items.filter(
        (item) => item.phase === 'sent' && item.uploadId && isWhole(item) && item !== kept,
      );
      const { transferId, fileCount } = this.#state;
      const uploadIds = batch.slice(0, MAX_FILES_PER_CALL).map((item) => item.uploadId!);
      if (uploadIds.length === 0 || this.#run !== run) return;
      await this.#retries.run(
        () => this.#transport.complete({ transferId: transferId!, uploadIds, fileCount, settings: {} }),
        run.stop.signal,
      );
      if (this.#run !== run) return;
      const done = new Set(uploadIds);
      for (const item of batch) if (done.has(item.uploadId!)) item.phase = 'done';
      this.#update();
    }
  }

  async #sendAndComplete(run: Run): Promise<void> {
    do {
      await this.#announce(run);
      await this.#sendAll();
      // Files may have been added while the others were sent.
    } while (this.#items.some((item) => !item.uploadId || !isWhole(item)));
    const settings = this.#collectSettings && (await this.#readSettings(run, this.#collectSettings));
    if (!settings) {
      this.#collectSettings = undefined;
      this.#meter.reset();
      this.#update({ phase: 'arrived', isSubmitted: false });
      return;
    }
    const result = await this.#complete(run, settings);
    this.#update({ phase: 'success', result });
  }

  async #readSettings(run: Run, collect: CollectSettings): Promise<TransferSettingsInput | undefined> {
    this.#update({ phase: 'completing' });
    const settings = await collect();
    if (this.#run !== run) throw new CancelledError();
    return settings;
  }

  async #announce(run: Run): Promise<void> {
    // What is announced instead may need their place.
    if (this.#unwanted.size > 0)
      await this.#call(run, t`Failed to initialize upload`, () => this.#abortUnwanted());
    if (this.#run !== run) throw new CancelledError();
    if (this.#openSealing) await this.#openEncryption(run);
    const sealing = this.#sealing;
    const fresh = this.#items.filter((item) => !item.uploadId);
    sealing?.prepare(fresh);
    for (let start = 0; start < fresh.length; start += MAX_FILES_PER_CALL) {
      const batch = fresh.slice(start, start + MAX_FILES_PER_CALL);
      const files = batch.map((item) => sealing?.describe(item) ?? toRequest(item));
      const { transferId } = this.#state;
      const encryption = transferId ? undefined : sealing?.created;
      const announcement = { transferId, files, encryption, idempotencyKey: createUniqueKey() };
      const answer = await this.#call(run, t`Failed to initialize upload`, () =>
        this.#transport.announce(announcement),
      );
      if (this.#run !== run) {
        // Cancelled while the request ran: the uploads it opened must be aborted here.
        const uploadIds = answer.uploads.map(({ uploadId }) => uploadId);
        const isDraftOver = run.isCancelled || transferId === undefined;
        void this.#deleteOnServer(uploadIds, isDraftOver ? answer.transferId : undefined);
        throw new CancelledError();
      }
      for (const [index, { uploadId, direct = false }] of answer.uploads.entries())
        Object.assign(batch[index]!, { uploadId, direct });
      // Removed meanwhile.
      void this.#abort(batch.flatMap(({ phase, uploadId }) => (phase === 'removed' ? uploadId! : [])));
      this.#update({ transferId: answer.transferId });
      if (!sealing) continue;
      await sealing.begin({ ...answer, items: batch });
      if (this.#run !== run) throw new CancelledError();
      this.#showLink(sealing);
    }
    if (fresh.length > 0)
      await this.#call(run, t`Failed to initialize upload`, () => this.#listForRecipients());
  }

  /** Recipients of an encrypted transfer find its files by the manifest only. Has no effect before it is shared. */
  async #listForRecipients(): Promise<void> {
    const sealing = this.#sealing;
    if (sealing && this.#run && this.#state.sharedToken !== undefined)
      await this.#publishEarly(this.#run, sealing, undefined);
  }

  #publishEarly(run: Run, sealing: Sealing, settings: TransferSettingsInput | undefined): Promise<void> {
    const transferId = this.#state.transferId!;
    const { signal } = run.stop;
    return sealing.publish({ transferId, items: this.#items, settings, isEarly: true, signal });
  }

  /** Deriving a key from a password takes a moment. */
  async #openEncryption(run: Run): Promise<void> {
    const sealing = this.#sealing ?? (await this.#openSealing!(this.#state.transferId));
    if (this.#run !== run) throw new CancelledError();
    this.#sealing = sealing;
    if (sealing) this.#showLink(sealing);
  }

  #showLink({ link }: Sealing): void {
    if (link) this.#update({ link });
  }

  /** Deletes a draft as a whole; of a ready transfer only the uploads being added. */
  async #deleteOnServer(uploadIds: string[], draftId: string | undefined): Promise<void> {
    if (this.#joins) await this.#abort(uploadIds);
    else if (draftId) await this.#transport.discard(draftId, uploadIds).catch(() => {});
  }

  async #sendAll(): Promise<void> {
    for (const item of this.#items) if (isWhole(item) && item.phase !== 'done') item.phase = 'sent';
    this.#sender = new ChunkSender(this.#items, {
      send: (task, options) =>
        this.#transport.send(task, options, this.#sealing).catch((error) => noteChange(task, error)),
      maxLanes: MAX_LANES,
      retries: this.#retries,
      onSignInNeeded: (error) =>
        this.#update({ phase: 'paused', trouble: { kind: 'sign-in', message: errorDetail(error) } }),
      onWhole: () => this.#completeEarly(),
      toError: chunkError,
    });
    this.#update({ phase: 'uploading' });
    this.#completeEarly();
    await this.#sender.run();
    const failed = this.#items.find((item) => item.phase === 'failed');
    if (failed) throw new Error(`${failed.name}: ${failed.error}`);
  }

  async #complete(run: Run, settings: TransferSettingsInput): Promise<CompletedUpload> {
    const { fileCount } = this.#state;
    const transferId = this.#state.transferId!;
    await this.#completingEarly;
    await this.#call(run, t`Failed to complete upload`, () => this.#abortUnwanted());
    const items = this.#items.filter(({ phase }) => phase !== 'done');
    const sealing = this.#sealing;
    const sent = sealing ? withoutSecrets(settings) : settings;
    if (sealing) await this.#publish(run, sealing, settings);
    const { sharedToken } = this.#state;
    let result: CompletedUpload | undefined =
      sharedToken === undefined ? undefined : { token: sharedToken, transfer: { id: transferId } };
    for (let start = 0; start < items.length; start += MAX_FILES_PER_CALL) {
      const batch = items.slice(start, start + MAX_FILES_PER_CALL);
      const uploadIds = batch.map((item) => item.uploadId!);
      result = await this.#call(run, t`Failed to complete upload`, () =>
        this.#transport.complete({ transferId, uploadIds, fileCount, settings: sent }),
      );
      if (this.#run !== run) throw new CancelledError();
      for (const item of batch) item.phase = 'done';
      this.#update();
    }
    await sealing?.finish(transferId);
    return result!;
  }

  /** Encrypted transfers have a sealed manifest before they become ready. */
  async #publish(run: Run, sealing: Sealing, settings: TransferSettingsInput): Promise<void> {
    const transferId = this.#state.transferId!;
    const publication = {
      transferId,
      items: this.#items,
      // Those of a shared transfer stay.
      settings: this.#state.sharedToken === undefined ? settings : undefined,
      isEarly: false,
      signal: run.stop.signal,
    };
    await this.#call(run, t`Failed to complete upload`, () => sealing.publish(publication));
    if (this.#run !== run) throw new CancelledError();
  }

  /** Throws CancelledError, or an Error for the user with the refusal as its cause. */
  async #call<Answer>(run: Run, what: string, call: () => Promise<Answer>): Promise<Answer> {
    try {
      return await this.#retries.run(call, run.stop.signal);
    } catch (error) {
      if (error instanceof CancelledError) throw error;
      throw new Error(`${what}: ${translateSentence(errorDetail(error))}`, { cause: error });
    }
  }

  #showFailure(failure: Failure | undefined): void {
    // Don't announce the first retry of a chunk.
    const isBrief = this.#state.phase === 'uploading' && failure?.failedTries === 1 && navigator.onLine;
    if (!isBrief) this.#update({ trouble: failure && toTrouble(failure) });
  }

  #fail(error: unknown): void {
    const cause = error instanceof Error ? error.cause : undefined;
    // The server no longer has the transfer: the next attempt announces it again.
    if (cause instanceof ApiError && cause.status === 404) this.#forgetServerSide();
    if (cause instanceof ApiError && cause.code === 'chunks_missing')
      forgetMissing(this.#items, cause.problem);
    this.#meter.reset();
    this.#collectSettings = undefined;
    const refusal = cause instanceof ApiError ? cause : undefined;
    this.#update({
      phase: 'failed',
      isSubmitted: false,
      error: translateSentence(errorDetail(error)),
      refusal,
      trouble: undefined,
    });
  }

  #forgetServerSide(): void {
    this.#completedFiles = 0;
    this.#state = { ...this.#state, transferId: this.#joins, link: undefined, sharedToken: undefined };
    // A new transfer has new keys.
    this.#sealing = undefined;
    // Files that exist only on the server can't be announced.
    this.#items = this.#items.filter(({ file }) => file);
    for (const item of this.#items) resetItem(item);
  }

  #tick(): void {
    this.#meter.record(sumTransferredBytes(this.#items), performance.now());
    this.#update();
  }

  #stopTicking(): void {
    clearInterval(this.#ticking);
    this.#ticking = undefined;
  }

  #update(change: Partial<EngineState> = {}): void {
    this.#state = this.#snapshot(change);
    for (const listener of this.#listeners) listener();
  }

  #snapshot(change: Partial<EngineState>): EngineState {
    return {
      ...(this.#state ?? NO_TRANSFER),
      ...change,
      ...countProgress(this.#items, this.#completedFiles, this.#meter),
    };
  }
}

/** The transfer was cancelled or reset. */
class CancelledError extends Error {
  override name = 'CancelledError';
}

function toTrouble({ kind, error }: Failure): Trouble {
  return { kind, message: error instanceof ApiError ? error.detail : t`Waiting for the network…` };
}

/** A file of a shared transfer that changed must be sent as another upload. */
function noteChange({ file }: ChunkTask<UploadItem>, error: unknown): never {
  if (error instanceof ApiError && error.code === 'chunk_differs') file.isReplaced = true;
  throw error;
}

/** The message counts chunks from 1. */
function chunkError({ index }: ChunkTask<UploadItem>, error: unknown): Error {
  const message = t`Failed to upload chunk ${index + 1}: ${errorDetail(error)}`;
  return new Error(message, { cause: error });
}
