import { onTestFinished, vi } from 'vitest';
import { NetworkError } from '../../client/api-error.ts';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { SEGMENT_BYTES } from '../../contracts/transfers/encryption.ts';
import type { NewEncryption, UploadRequest } from '../../contracts/transfers/uploads/uploads.ts';
import { readChunk } from '../uploading/engine/read-chunk.ts';
import type { Announcement, UploadTransport } from '../uploading/engine/upload-transport.ts';

/** Prime, so that no two segments begin with the same bytes. */
const PERIOD = 251;
const PATTERN = new Uint8Array(CHUNK_BYTES + PERIOD).map((_, index) => (index % PERIOD) * 7);

/** A file whose bytes are computed when they are read, so that large ones take no memory. */
export function makeFile(path: string, size: number, { version = 0 } = {}): File {
  const name = path.split('/').at(-1)!;
  const slice = (start: number, end: number) => {
    const from = (start + version) % PERIOD;
    return new Blob([PATTERN.subarray(from, from + end - start)]);
  };
  return { name, size, lastModified: version, type: 'text/plain', slice } as unknown as File;
}

type Upload = UploadRequest & { uploadId: string; transferId: string; chunks: Map<number, Uint8Array> };
type Options = { keepsChunks?: boolean; isCut?: (sent: number) => boolean };

/** Until the test ends, requests go to this server. Also adds a document, which unit tests don't have. */
export function visit(server: CapturingServer): void {
  vi.stubGlobal('fetch', server.fetch);
  vi.stubGlobal('document', { querySelector: () => ({ content: 'https://send.example' }) });
  onTestFinished(() => void vi.unstubAllGlobals());
}

/** Stands in for the server of encrypted uploads, and captures what reaches it. */
export class CapturingServer {
  readonly announced: Announcement[] = [];
  readonly uploads = new Map<string, Upload>();
  readonly encryptions: NewEncryption[] = [];
  /** Of every segment that was sent, stored or not, in hex. */
  readonly nonces: string[] = [];
  readonly completions: unknown[] = [];
  readonly publications: unknown[] = [];
  readonly manifests: { revision: number; sealed: Uint8Array<ArrayBuffer> }[] = [];
  /** Attempts, stored or not. */
  sentChunks = 0;
  readonly #options: Options;
  #ids = 0;

  constructor(options: Options = {}) {
    this.#options = options;
  }

  readonly transport: UploadTransport = {
    announce: async (announcement) => {
      this.announced.push(announcement);
      if (announcement.encryption) this.encryptions.push(announcement.encryption);
      const transferId = announcement.transferId ?? `t${this.encryptions.length}`;
      const uploads = announcement.files.map((file) => {
        const uploadId = `u${this.#ids++}`;
        this.uploads.set(uploadId, { ...file, uploadId, transferId, chunks: new Map() });
        return { uploadId, transferId, chunkSize: 5 * SEGMENT_BYTES, receivedChunks: [] };
      });
      return { transferId, token: 'token', uploads };
    },
    send: async ({ file: item, index, start, end }, { signal }, sealing) => {
      const { fileId = '', size: plainBytes } = item;
      const seal = sealing && { key: sealing.contentKey, fileId, plainBytes, start };
      const { bytes, plainCrc } = await readChunk(item.file!.slice(start, end), seal);
      signal.throwIfAborted();
      const sent = new Uint8Array(await bytes.arrayBuffer());
      this.#capture(sent);
      this.sentChunks += 1;
      if (this.#options.isCut?.(this.sentChunks)) throw new NetworkError();
      const upload = this.uploads.get(item.uploadId!)!;
      upload.chunks.set(index, this.#options.keepsChunks === false ? new Uint8Array() : sent);
      sealing?.recordChunk(fileId, index, plainCrc);
    },
    complete: async (completion) => {
      this.completions.push(completion);
      return { token: 'token', transfer: { id: completion.transferId } };
    },
    publish: async (publication) => {
      this.publications.push(publication);
      return { token: 'token' };
    },
    listUnfinished: async () =>
      [...this.uploads.values()].map((upload) => ({
        ...upload,
        relativePath: upload.fileName,
        mimeType: upload.mimeType ?? '',
        addsTo: null,
        sharedToken: null,
        encryption: this.encryptions[0]!,
        chunkSize: 5 * SEGMENT_BYTES,
        receivedChunks: [...upload.chunks.keys()],
        createdAt: '',
        lastActivityAt: '',
      })),
    abort: async (uploadIds) => {
      for (const uploadId of uploadIds) this.uploads.delete(uploadId);
    },
    discard: async (transferId) => {
      for (const [uploadId, upload] of this.uploads)
        if (upload.transferId === transferId) this.uploads.delete(uploadId);
    },
  };

  /** Answers the calls that the page makes without the transport. */
  readonly fetch = async (path: string, { method = 'GET', body }: RequestInit = {}): Promise<Response> => {
    const revision = Number(new URL(path, 'https://example.org').searchParams.get('revision'));
    const stored = this.manifests.at(-1);
    if (method === 'GET' && stored && path.endsWith('/manifest'))
      return new Response(stored.sealed, {
        headers: { 'sendwell-manifest-revision': String(stored.revision) },
      });
    if (method !== 'PUT' || !path.startsWith('/api/upload/manifest/'))
      return new Response(null, { status: 404 });
    const next = this.manifests.length + 1;
    const problem = { code: 'manifest_outdated', detail: `The next revision is ${next}.`, next };
    if (revision !== next) return Response.json(problem, { status: 409 });
    this.manifests.push({ revision, sealed: body as Uint8Array<ArrayBuffer> });
    return new Response(null, { status: 204 });
  };

  /** The whole ciphertext of a file. */
  read(fileId: string): Uint8Array<ArrayBuffer> {
    const upload = [...this.uploads.values()].find(({ fileName }) => fileName === fileId)!;
    const whole = new Uint8Array(upload.fileSize);
    for (const [index, bytes] of upload.chunks) whole.set(bytes, index * 5 * SEGMENT_BYTES);
    return whole;
  }

  #capture(sent: Uint8Array): void {
    for (let at = 0; at < sent.length; at += SEGMENT_BYTES)
      this.nonces.push(Buffer.from(sent.subarray(at, at + 24)).toString('hex'));
  }
}
