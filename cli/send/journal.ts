import { randomUUID } from 'node:crypto';
import { MAX_FILES_PER_CALL } from '../../contracts/plans/limits.ts';
import type { EncryptionParams } from '../../contracts/transfers/encryption.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads/uploads.ts';
import { JournalFile, listJournalFiles, readJournalFile } from '../journal-file.ts';
import type { SourceFile } from './collect-files.ts';
import type { FileSums } from './sealing/protocol.ts';

/** With the password in the settings, all that the keys are derived from. */
export type SendEncryption = {
  /** '1.KEY', as in the link. */
  key: string;
  params: EncryptionParams;
  accessKeyHash: string;
};

/** What a send changes in an existing transfer besides adding its files. Part of the journal. */
export type SendUpdate = {
  transferId: string;
  /** Of the share link. */
  token: string;
  /** The version that the files were compared with. */
  version: number;
  removed: string[];
  reused: { fileId: string; relativePath: string }[];
};

export type UnfinishedSend = {
  id: string;
  server: string;
  /** Epoch milliseconds. */
  startedAt: number;
  settings: TransferSettingsInput;
  /** Share the link before the files have arrived. */
  isShared?: true | undefined;
  encryption?: SendEncryption | undefined;
  /** Set if the files become part of the next version of an existing transfer. */
  update?: SendUpdate | undefined;
  /** Whether a pickup code is created at the end. */
  pickupCode?: boolean | undefined;
  files: SourceFile[];
  transferId: string | undefined;
  /** By index in `files`; undefined until announced. */
  uploadIds: (string | undefined)[];
  /** The first n files are completed on the server. */
  completedFiles: number;
  /** Of the share link, if the server tells it before the transfer is ready. */
  linkToken: string | undefined;
  /** Of the share link, once all files are completed. */
  token: string | undefined;
  /** By index in `files`; of plaintext that is sent encrypted. */
  sums: (FileSums | undefined)[];
  /** Of the last manifest on the server; 0 if there is none. */
  manifestRevision: number;
  /** Whether that manifest lists the files as they are now, without or with all sums. */
  manifestState: 'outdated' | 'without-sums' | 'current';
  /** Part of the idempotency key: increases when files must be announced again. */
  revision: number;
};

type Plan = Pick<
  UnfinishedSend,
  'server' | 'startedAt' | 'settings' | 'isShared' | 'encryption' | 'update' | 'pickupCode'
>;
type Progress = Omit<UnfinishedSend, keyof Plan | 'id' | 'files'>;

/** A file format: a newer release resumes what an older one started, so don't rename anything. */
type Line =
  | ({ kind: 'head'; fileCount: number; id: string } & Plan)
  | { kind: 'files'; files: SourceFile[] }
  | { kind: 'announced'; transferId: string; linkToken?: string; uploadIds: Record<number, string> }
  | { kind: 'changed'; index: number; file: SourceFile }
  | { kind: 'summed'; sums: Record<number, FileSums> }
  | { kind: 'manifest'; revision: number; isWithoutSums?: true }
  | { kind: 'completed'; files: number; token: string }
  | { kind: 'anew' };

const ENDING = '.send.jsonl';
/** After a crash, files that were read within this time are read again for their checksums. */
const FLUSH_MS = 1_000;

export class SendJournal {
  readonly state: UnfinishedSend;
  readonly #file: JournalFile<Line>;
  #unwrittenSums: Record<number, FileSums> = {};
  #writtenAt = 0;

  private constructor(state: UnfinishedSend, file: JournalFile<Line>) {
    this.state = state;
    this.#file = file;
  }

  static async create(facts: Plan & { files: SourceFile[] }): Promise<SendJournal> {
    const id = randomUUID().slice(0, 8);
    const file = await JournalFile.open<Line>(id + ENDING);
    const { files, ...plan } = facts;
    await file.write({ kind: 'head', id, ...plan, fileCount: files.length });
    for (let start = 0; start < files.length; start += MAX_FILES_PER_CALL)
      await file.write({ kind: 'files', files: files.slice(start, start + MAX_FILES_PER_CALL) });
    return new SendJournal({ ...facts, id, ...initialProgress() }, file);
  }

  static async reopen(state: UnfinishedSend): Promise<SendJournal> {
    return new SendJournal(state, await JournalFile.open<Line>(state.id + ENDING));
  }

  /** `uploadIds`: by index in `files`. */
  recordAnnounced(facts: Omit<Line & { kind: 'announced' }, 'kind'>): Promise<void> {
    return this.#record({ kind: 'announced', ...facts });
  }

  /** The file has changed on the disk and must be sent from the beginning. */
  recordChanged(index: number, file: SourceFile): Promise<void> {
    return this.#record({ kind: 'changed', index, file });
  }

  /** Not written at once: the cost of losing them in a crash is to read the file again. */
  async recordSums(index: number, sums: FileSums): Promise<void> {
    this.state.sums[index] = sums;
    this.#unwrittenSums[index] = sums;
    if (performance.now() - this.#writtenAt > FLUSH_MS) await this.#flushSums();
  }

  async recordManifest(revision: number, { hasSums }: { hasSums: boolean }): Promise<void> {
    await this.#flushSums();
    await this.#record({ kind: 'manifest', revision, ...(!hasSums && { isWithoutSums: true }) });
  }

  recordCompleted(files: number, token: string): Promise<void> {
    return this.#record({ kind: 'completed', files, token });
  }

  /** The server has deleted the upload: everything must be sent again. */
  recordRestart(): Promise<void> {
    return this.#record({ kind: 'anew' });
  }

  async close(): Promise<void> {
    await this.#flushSums();
    await this.#file.close();
  }

  remove(): Promise<void> {
    return this.#file.remove();
  }

  async #record(line: Line): Promise<void> {
    applyLine(this.state, line);
    await this.#file.write(line);
  }

  async #flushSums(): Promise<void> {
    const sums = this.#unwrittenSums;
    this.#unwrittenSums = {};
    this.#writtenAt = performance.now();
    if (Object.keys(sums).length > 0) await this.#file.write({ kind: 'summed', sums });
  }
}

/** Oldest first. */
export async function listUnfinishedSends(): Promise<UnfinishedSend[]> {
  const all = await Promise.all((await listJournalFiles(ENDING)).map(readSend));
  return all.filter((each) => each !== undefined).sort((a, b) => a.startedAt - b.startedAt);
}

/** Returns undefined if a crash cut off the list of files. Nothing was announced then. */
async function readSend(name: string): Promise<UnfinishedSend | undefined> {
  const [head, ...lines] = await readJournalFile<Line>(name);
  if (head?.kind !== 'head') return undefined;
  const { kind: _kind, fileCount, ...facts } = head;
  const state: UnfinishedSend = { ...facts, files: [], ...initialProgress() };
  for (const line of lines) applyLine(state, line);
  return state.files.length === fileCount ? state : undefined;
}

function initialProgress(): Progress {
  return {
    transferId: undefined,
    uploadIds: [],
    completedFiles: 0,
    linkToken: undefined,
    token: undefined,
    sums: [],
    manifestRevision: 0,
    manifestState: 'outdated',
    revision: 0,
  };
}

function applyLine(state: UnfinishedSend, line: Line): void {
  if (line.kind === 'files') state.files.push(...line.files);
  if (line.kind === 'completed') {
    state.completedFiles = line.files;
    if (line.files === state.files.length) state.token = line.token;
  }
  if (line.kind === 'summed')
    for (const [index, sums] of Object.entries(line.sums)) state.sums[Number(index)] = sums;
  if (line.kind === 'manifest')
    Object.assign(state, {
      manifestRevision: line.revision,
      manifestState: line.isWithoutSums ? 'without-sums' : 'current',
    });
  if (line.kind === 'anew') {
    const { sums, revision } = state;
    Object.assign(state, initialProgress(), { sums, revision: revision + 1 });
  }
  if (line.kind === 'changed') {
    state.revision += 1;
    state.files[line.index] = line.file;
    delete state.uploadIds[line.index];
    delete state.sums[line.index];
    state.manifestState = 'outdated';
  }
  if (line.kind === 'announced') {
    state.transferId = line.transferId;
    state.linkToken ??= line.linkToken;
    for (const [index, uploadId] of Object.entries(line.uploadIds)) state.uploadIds[Number(index)] = uploadId;
  }
}
