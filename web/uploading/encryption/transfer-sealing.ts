import { t } from '@lingui/core/macro';
import { ApiError } from '../../../client/api-error.ts';
import { toUploadRequest } from '../../../client/upload-plan.ts';
import { chunkLength } from '../../../contracts/plans/limits.ts';
import { encryptedSize } from '../../../contracts/transfers/encryption.ts';
import { getOwnManifest, getOwnPictures } from '../../../contracts/transfers/transfers.ts';
import {
  type NewEncryption,
  putManifest,
  putPictures,
  type TransferSettingsInput,
  type UploadRequest,
} from '../../../contracts/transfers/uploads/uploads.ts';
import { normalisePath } from '../../../contracts/values/names/file-names.ts';
import { combineCrc32 } from '../../../contracts/zip/crc32-combine.ts';
import { createEncryption, needsPassword, type TransferKeys } from '../../../encryption/keys.ts';
import { formatKey } from '../../../encryption/link.ts';
import {
  type Manifest,
  type ManifestFile,
  openManifest,
  sealManifest,
} from '../../../encryption/manifest.ts';
import { openPictures, PICTURES_MAX, type Picture, sealPictures } from '../../../encryption/pictures.ts';
import { createFileId } from '../../../encryption/segments.ts';
import { linkWithKey } from '../../key-ring/key-link.ts';
import { changeKey, deleteKey, type KeptKey, keepKey } from '../../key-ring/key-ring.ts';
import type { EncryptedLink } from '../engine/engine-state.ts';
import type { Announced, Publication, Sealing } from '../engine/sealing.ts';
import type { UploadItem } from '../engine/upload-item.ts';
import { type DraftFile, deleteDraftFiles, listDraftFiles } from './draft-files.ts';
import { DraftRecorder } from './draft-recorder.ts';
import { PictureDrawer } from './draw-pictures.ts';
import type { EncryptionRequest } from './encryption-control.ts';
import { fetchSealed, sendSealed } from './sealed-documents.ts';
import { planSealedChunks } from './sealed-plan.ts';

type Begun = Pick<KeptKey, 'key' | 'params' | 'owner'> & {
  keys: TransferKeys;
  created: NewEncryption | undefined;
  /** Set for visitors. */
  request: EncryptionRequest | undefined;
};

type Creation = { owner: string; password?: string | undefined; request?: EncryptionRequest | undefined };

/** New keys for a transfer that is about to be created. */
export async function createSealing({ owner, password, request }: Creation): Promise<Sealing> {
  const { linkSecret, params, accessKeyHash, keys } = await createEncryption(password ? { password } : {});
  const created = { ...params, accessKeyHash };
  return new TransferSealing({ owner, key: formatKey(linkSecret), params, keys, created, request });
}

type Resumption = {
  kept: KeptKey & { keys: TransferKeys };
  request?: EncryptionRequest | undefined;
  /** Files are added to a transfer that is ready. */
  isReady: boolean;
  /** Files that are not complete, if others are: of those, only this device has the names. */
  unfinished: ReadonlySet<string> | undefined;
};

/** The keys of a draft, or of a transfer that files are added to. */
export async function resumeSealing({ kept, request, ...known }: Resumption): Promise<Sealing> {
  const files = await listDraftFiles(kept.transferId);
  return new TransferSealing({ ...kept, created: undefined, request }, { kept, ...known, files });
}

type Listed = { files: ManifestFile[]; settings: TransferSettingsInput | undefined };

class TransferSealing implements Sealing {
  readonly created: NewEncryption | undefined;
  readonly #begun: Begun;
  readonly #files: DraftRecorder;
  readonly #pictures = new PictureDrawer();
  readonly #isReady: boolean;
  /** Belong to the transfer, although they are no longer listed. */
  readonly #completed: ReadonlySet<string>;
  #token: string | undefined;
  #isKept: boolean;
  #revision: number;
  #title: string | null = null;
  #publishing: Promise<void> = Promise.resolve();

  constructor(begun: Begun, resumed?: Resumption & { files: DraftFile[] }) {
    this.created = begun.created;
    this.#begun = begun;
    this.#files = new DraftRecorder(resumed?.files, resumed?.kept.transferId);
    this.#isReady = resumed?.isReady ?? false;
    this.#token = resumed?.kept.draftToken;
    this.#isKept = resumed !== undefined;
    this.#revision = resumed?.kept.revision ?? 0;
    const { unfinished, files = [] } = resumed ?? {};
    const completed = unfinished ? files.filter(({ fileId }) => !unfinished.has(fileId)) : [];
    this.#completed = new Set(completed.map(({ fileId }) => fileId));
  }

  get link(): EncryptedLink | undefined {
    if (this.#token === undefined) return undefined;
    const { key, params } = this.#begun;
    return { url: linkWithKey(this.#token, key), key, needsPassword: needsPassword(params) };
  }

  get contentKey() {
    return this.#begun.keys.content;
  }

  prepare(items: readonly UploadItem[]): void {
    for (const item of items) {
      const { relativePath, size, mimeType, file } = item;
      const path = normalisePath(relativePath);
      if (path === undefined) throw new Error(`${item.name}: ${t`This path is too deep or too long.`}`);
      item.fileId ??= createFileId();
      Object.assign(item, planSealedChunks(size));
      const modifiedAt = file?.lastModified ?? null;
      this.#files.add({ fileId: item.fileId, path, size, mimeType, modifiedAt, crcs: [] });
    }
  }

  describe({ fileId = '', size }: UploadItem): UploadRequest {
    const mimeType = 'application/octet-stream';
    return toUploadRequest({ relativePath: fileId, size: encryptedSize(size), mimeType });
  }

  async begin({ transferId, token, items }: Announced): Promise<void> {
    this.#token ??= token;
    this.#pictures.add(items);
    if (!this.#isKept) {
      const { owner, key, params, keys } = this.#begun;
      const first = this.#files.list()[0]?.path.split('/').at(-1) ?? null;
      // Without storage the link that is shown is the only copy of the key.
      await keepKey({
        transferId,
        owner,
        key,
        params,
        keys,
        isDraft: true,
        draftToken: token,
        firstFileName: first,
        savedAt: Date.now(),
      }).catch(() => {});
      this.#isKept = true;
    }
    await this.#files.save(transferId);
  }

  recordChunk(fileId: string, index: number, crc32: number): void {
    this.#files.recordChunk(fileId, index, crc32);
  }

  forget(items: readonly UploadItem[]): void {
    this.#files.forget(items.flatMap(({ fileId }) => fileId ?? []));
  }

  async publish({ transferId, items, settings, isEarly, signal }: Publication): Promise<void> {
    const listed = new Set(items.flatMap(({ fileId }) => fileId ?? []));
    const completed = this.#files
      .list()
      .filter(({ fileId }) => this.#completed.has(fileId) && !listed.has(fileId));
    const files = [...completed, ...items.flatMap((item) => this.#describeItem(item) ?? [])].map(
      describeFile,
    );
    if (!isEarly) await this.#publishPictures(transferId, await this.#pictures.finish(listed), signal);
    await this.#inOrder(() => this.#publishManifest(transferId, { files, settings }, signal));
    const { request, key } = this.#begun;
    if (!request || isEarly) return;
    const { sendSealedKey } = await import('./sealed-request.ts');
    await sendSealedKey(request, { transferId, key, signal });
  }

  /** The name of an item is newer than one that was removed from this device. */
  #describeItem({ fileId = '', relativePath }: UploadItem): DraftFile | undefined {
    const file = this.#files.get(fileId);
    return file && { ...file, path: normalisePath(relativePath) ?? file.path };
  }

  /** Each manifest lists the files of its moment, so a later one must not be stored first. */
  #inOrder(publish: () => Promise<void>): Promise<void> {
    const published = this.#publishing.then(publish);
    this.#publishing = published.catch(() => {});
    return published;
  }

  async #publishManifest(transferId: string, listed: Listed, signal: AbortSignal): Promise<void> {
    const { manifest: key } = this.#begun.keys;
    const { files, settings } = listed;
    await this.#untilCurrent(this.#revision + 1, async (proposed) => {
      const isKept = this.#isReady || settings === undefined;
      const stored = isKept ? await fetchSealed(getOwnManifest, transferId, signal) : undefined;
      const revision = stored ? stored.revision + 1 : proposed;
      const before = stored && (await openManifest(key, stored.sealed, stored.revision));
      const manifest: Manifest = this.#isReady
        ? addTo(before!, files)
        : { version: 1, ...(before ? titleOf(before) : titleOf(settings!)), files };
      const sealed = await sealManifest(key, manifest, revision);
      await sendSealed(putManifest, { transferId, revision, sealed, signal, ...this.#visit });
      this.#revision = revision;
      this.#title = manifest.title;
      await changeKey(transferId, {
        revision,
        title: manifest.title,
        firstFileName: manifest.files[0]?.path.split('/').at(-1) ?? null,
      });
    });
  }

  async #publishPictures(
    transferId: string,
    drawn: Map<string, Picture>,
    signal: AbortSignal,
  ): Promise<void> {
    if (drawn.size === 0) return;
    const { pictures: key } = this.#begun.keys;
    await this.#untilCurrent(1, async (proposed) => {
      const stored = this.#isReady ? await fetchStoredPictures(transferId, signal) : undefined;
      const revision = stored ? stored.revision + 1 : proposed;
      const before = stored ? await openPictures(key, stored.sealed, stored.revision) : [];
      const all = new Map([...before, ...drawn].slice(0, PICTURES_MAX));
      const sealed = await sealPictures(key, all, revision);
      await sendSealed(putPictures, { transferId, revision, sealed, signal, ...this.#visit });
    });
  }

  /** Tries again if the answer to an earlier attempt was lost, or another window has added files. */
  async #untilCurrent(first: number, send: (revision: number) => Promise<void>): Promise<void> {
    for (let revision = first; ; ) {
      try {
        return await send(revision);
      } catch (error) {
        if (!(error instanceof ApiError && error.code === 'manifest_outdated')) throw error;
        revision = Number(error.problem.next ?? revision + 1);
      }
    }
  }

  get #visit(): { invitationToken?: string | undefined } {
    return { invitationToken: this.#begun.request?.invitationToken };
  }

  async finish(transferId: string): Promise<void> {
    // Visitors have no link to open it with.
    if (this.#begun.request) await deleteKey(transferId);
    await changeKey(transferId, { isDraft: false, draftToken: undefined, title: this.#title });
    await deleteDraftFiles(transferId);
  }
}

async function fetchStoredPictures(transferId: string, signal: AbortSignal) {
  try {
    return await fetchSealed(getOwnPictures, transferId, signal);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function titleOf({ title, message }: Pick<TransferSettingsInput, 'title' | 'message'>) {
  return {
    title: title ? String(title).trim() : null,
    message: message ? String(message).trim() : null,
  };
}

function addTo(before: Manifest, added: ManifestFile[]): Manifest {
  const known = new Set(added.map(({ fileId }) => fileId));
  return { ...before, files: [...before.files.filter(({ fileId }) => !known.has(fileId)), ...added] };
}

function describeFile({ fileId, path, size, modifiedAt, mimeType, crcs }: DraftFile): ManifestFile {
  return { fileId, path, size, modifiedAt, mimeType, crc32: combineChunks(size, crcs), sha256: null };
}

/** The CRC-32 of the whole file; null if a chunk's is unknown. */
function combineChunks(size: number, crcs: DraftFile['crcs']): number | null {
  const { chunkSize, totalChunks } = planSealedChunks(size);
  let whole = 0;
  for (let index = 0; index < totalChunks; index += 1) {
    const crc = crcs[index];
    if (crc === undefined) return null;
    whole = combineCrc32(whole, crc, chunkLength(size, chunkSize, index));
  }
  return whole;
}
