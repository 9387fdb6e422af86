import type {
  NewEncryption,
  TransferSettingsInput,
  UploadRequest,
} from '../../../contracts/transfers/uploads/uploads.ts';
import type { SegmentKey } from '../../../encryption/keys.ts';
import type { EncryptedLink } from './engine-state.ts';
import type { UploadItem } from './upload-item.ts';

export type Announced = { transferId: string; token?: string | undefined; items: readonly UploadItem[] };
export type Publication = {
  transferId: string;
  items: readonly UploadItem[];
  /** Undefined: title and message stay as they are in the stored manifest. */
  settings: TransferSettingsInput | undefined;
  /** While files are being sent: without pictures, and with the checksums known so far. */
  isEarly: boolean;
  signal: AbortSignal;
};

/** The encryption of one transfer, as the engine uses it. */
export interface Sealing {
  /** Undefined until the transfer is announced. */
  readonly link: EncryptedLink | undefined;
  /** For the call that creates the transfer; undefined if it exists. */
  readonly created: NewEncryption | undefined;
  readonly contentKey: SegmentKey;
  /** Names files by random ids and divides them into chunks of whole segments. Call it before announcing them. */
  prepare(items: readonly UploadItem[]): void;
  /** What the server may know of a file. */
  describe(item: UploadItem): UploadRequest;
  /** Keeps the key and what the server must not know about the files, before any byte is sent. */
  begin(announced: Announced): Promise<void>;
  /** `crc32` is that of the chunk's plaintext. */
  recordChunk(fileId: string, index: number, crc32: number): void;
  forget(items: readonly UploadItem[]): void;
  /** Stores the sealed manifest and pictures. Throws ApiError, NetworkError or the signal's reason. */
  publish(publication: Publication): Promise<void>;
  /** The transfer is ready: its key is kept, the state of the draft is not. */
  finish(transferId: string): Promise<void>;
}

/** Opens the encryption of this transfer, or of a new one. Rejects with an Error for the user. */
export type OpenSealing = (transferId: string | undefined) => Promise<Sealing>;

/** Settings that may reach the server; the others are in the manifest or part of the key. */
export function withoutSecrets(settings: TransferSettingsInput): TransferSettingsInput {
  const { title, message, password, plainPassword, ...open } = settings;
  return open;
}
