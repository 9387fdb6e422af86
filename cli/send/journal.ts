import { randomUUID } from 'node:crypto';
import { MAX_FILES_PER_CALL } from '../../contracts/plans/limits.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads.ts';
import { JournalFile, listJournalFiles, readJournalFile, removeJournalFile } from '../journal-file.ts';
import type { SourceFile } from './collect-files.ts';

export type UnfinishedSend = {
  id: string;
  server: string;
  /** Epoch milliseconds. */
  startedAt: number;
  settings: TransferSettingsInput;
  files: SourceFile[];
  transferId: string | undefined;
  /** By index in `files`; undefined until announced. */
  uploadIds: (string | undefined)[];
  /** The first n files are completed on the server. */
  completedFiles: number;
  /** Of the share link, once all files are completed. */
  token: string | undefined;
  /** Part of the idempotency key: increases when files must be announced again. */
  revision: number;
};

type Progress = Pick<UnfinishedSend, 'transferId' | 'uploadIds' | 'completedFiles' | 'token' | 'revision'>;

/** A file format: a newer release resumes what an older one started, so don't rename anything. */
type Line =
  | ({ kind: 'head'; fileCount: number } & Pick<UnfinishedSend, 'id' | 'server' | 'startedAt' | 'settings'>)
  | { kind: 'files'; files: SourceFile[] }
  | { kind: 'announced'; transferId: string; uploadIds: Record<number, string> }
  | { kind: 'changed'; index: number; file: SourceFile }
  | { kind: 'completed'; files: number; token: string }
  | { kind: 'anew' };

const ENDING = '.send.jsonl';

export class SendJournal {
  readonly state: UnfinishedSend;
  readonly #file: JournalFile<Line>;

  private constructor(state: UnfinishedSend, file: JournalFile<Line>) {
    this.state = state;
    this.#file = file;
  }

  static async create(
    facts: Pick<UnfinishedSend, 'server' | 'settings' | 'files' | 'startedAt'>,
  ): Promise<SendJournal> {
    const id = randomUUID().slice(0, 8);
    const file = await JournalFile.open<Line>(id + ENDING);
    const { server, startedAt, settings, files } = facts;
    await file.write({ kind: 'head', id, server, startedAt, settings, fileCount: files.length });
    for (let start = 0; start < files.length; start += MAX_FILES_PER_CALL)
      await file.write({ kind: 'files', files: files.slice(start, start + MAX_FILES_PER_CALL) });
    return new SendJournal({ ...facts, id, ...initialProgress() }, file);
  }

  static async reopen(state: UnfinishedSend): Promise<SendJournal> {
    return new SendJournal(state, await JournalFile.open<Line>(state.id + ENDING));
  }

  /** `uploadIds`: by index in `files`. */
  recordAnnounced(transferId: string, uploadIds: Record<number, string>): Promise<void> {
    return this.#record({ kind: 'announced', transferId, uploadIds });
  }

  /** The file has changed on the disk and must be sent from the beginning. */
  recordChanged(index: number, file: SourceFile): Promise<void> {
    return this.#record({ kind: 'changed', index, file });
  }

  recordCompleted(files: number, token: string): Promise<void> {
    return this.#record({ kind: 'completed', files, token });
  }

  /** The server has deleted the upload: everything must be sent again. */
  recordRestart(): Promise<void> {
    return this.#record({ kind: 'anew' });
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  remove(): Promise<void> {
    return this.#file.remove();
  }

  async #record(line: Line): Promise<void> {
    applyLine(this.state, line);
    await this.#file.write(line);
  }
}

/** Oldest first. */
export async function listUnfinishedSends(): Promise<UnfinishedSend[]> {
  const all = await Promise.all((await listJournalFiles(ENDING)).map(readSend));
  return all.filter((each) => each !== undefined).sort((a, b) => a.startedAt - b.startedAt);
}

export async function removeSendJournal(id: string): Promise<void> {
  await removeJournalFile(id + ENDING);
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
  return { transferId: undefined, uploadIds: [], completedFiles: 0, token: undefined, revision: 0 };
}

function applyLine(state: UnfinishedSend, line: Line): void {
  if (line.kind === 'files') state.files.push(...line.files);
  if (line.kind === 'completed') {
    state.completedFiles = line.files;
    if (line.files === state.files.length) state.token = line.token;
  }
  if (line.kind === 'anew') Object.assign(state, initialProgress(), { revision: state.revision + 1 });
  if (line.kind === 'changed') {
    state.revision += 1;
    state.files[line.index] = line.file;
    delete state.uploadIds[line.index];
  }
  if (line.kind === 'announced') {
    state.transferId = line.transferId;
    for (const [index, uploadId] of Object.entries(line.uploadIds)) state.uploadIds[Number(index)] = uploadId;
  }
}
