import { randomUUID } from 'node:crypto';
import { MAX_FILES_PER_CALL } from '../../contracts/plans/limits.ts';
import type { TransferSettingsInput } from '../../contracts/transfers/uploads.ts';
import { LineFile, listLineFiles, readLineFile, removeLineFile } from '../line-file.ts';
import type { SourceFile } from './collect-files.ts';

/** A sending as it is kept between runs. */
export type Sending = {
  id: string;
  server: string;
  /** Epoch milliseconds. */
  startedAt: number;
  settings: TransferSettingsInput;
  files: SourceFile[];
  transferId: string | undefined;
  /** By the file's place in the list; undefined: not announced yet. */
  uploadIds: (string | undefined)[];
  /** How many files, from the first on, the server was told are complete. */
  completedFiles: number;
  /** Of the share link, once all files are complete. */
  token: string | undefined;
  /** Rises with each file that is announced again: such a call is no repetition. */
  revision: number;
};

type Course = Pick<Sending, 'transferId' | 'uploadIds' | 'completedFiles' | 'token' | 'revision'>;

type Line =
  | ({ kind: 'head'; fileCount: number } & Pick<Sending, 'id' | 'server' | 'startedAt' | 'settings'>)
  | { kind: 'files'; files: SourceFile[] }
  | { kind: 'announced'; transferId: string; uploadIds: Record<number, string> }
  | { kind: 'changed'; index: number; file: SourceFile }
  | { kind: 'completed'; files: number; token: string }
  | { kind: 'anew' };

const ENDING = '.send.jsonl';

/** Keeps a sending, so that another run can go on with it. */
export class Journal {
  readonly sending: Sending;
  readonly #lines: LineFile<Line>;

  private constructor(sending: Sending, lines: LineFile<Line>) {
    this.sending = sending;
    this.#lines = lines;
  }

  static async begin(begun: Pick<Sending, 'server' | 'settings' | 'files' | 'startedAt'>): Promise<Journal> {
    const id = randomUUID().slice(0, 8);
    const lines = await LineFile.open<Line>(id + ENDING);
    const { server, startedAt, settings, files } = begun;
    await lines.write({ kind: 'head', id, server, startedAt, settings, fileCount: files.length });
    for (let start = 0; start < files.length; start += MAX_FILES_PER_CALL)
      await lines.write({ kind: 'files', files: files.slice(start, start + MAX_FILES_PER_CALL) });
    return new Journal({ ...begun, id, ...nothingYet() }, lines);
  }

  static async reopen(sending: Sending): Promise<Journal> {
    return new Journal(sending, await LineFile.open<Line>(sending.id + ENDING));
  }

  /** Files by their place in the list. */
  noteAnnounced(transferId: string, uploadIds: Record<number, string>): Promise<void> {
    return this.#add({ kind: 'announced', transferId, uploadIds });
  }

  /** The file is another one now: what was sent of the old one does not count. */
  noteChanged(index: number, file: SourceFile): Promise<void> {
    return this.#add({ kind: 'changed', index, file });
  }

  noteCompleted(files: number, token: string): Promise<void> {
    return this.#add({ kind: 'completed', files, token });
  }

  /** The server knows nothing of it any more. */
  noteAnew(): Promise<void> {
    return this.#add({ kind: 'anew' });
  }

  close(): Promise<void> {
    return this.#lines.close();
  }

  /** It is through. */
  remove(): Promise<void> {
    return this.#lines.remove();
  }

  async #add(line: Line): Promise<void> {
    applyLine(this.sending, line);
    await this.#lines.write(line);
  }
}

/** All that are unfinished, the oldest first. */
export async function listSendings(): Promise<Sending[]> {
  const sendings = await Promise.all((await listLineFiles(ENDING)).map(readSending));
  return sendings.filter((each) => each !== undefined).sort((a, b) => a.startedAt - b.startedAt);
}

export async function forgetSending(id: string): Promise<void> {
  await removeLineFile(id + ENDING);
}

async function readSending(name: string): Promise<Sending | undefined> {
  const [head, ...lines] = await readLineFile<Line>(name);
  if (head?.kind !== 'head') return undefined;
  const { kind: _kind, fileCount, ...begun } = head;
  const sending: Sending = { ...begun, files: [], ...nothingYet() };
  for (const line of lines) applyLine(sending, line);
  // One that was cut off before all files were noted had announced none of them.
  return sending.files.length === fileCount ? sending : undefined;
}

function nothingYet(): Course {
  return { transferId: undefined, uploadIds: [], completedFiles: 0, token: undefined, revision: 0 };
}

function applyLine(sending: Sending, line: Line): void {
  if (line.kind === 'files') sending.files.push(...line.files);
  if (line.kind === 'completed') {
    sending.completedFiles = line.files;
    if (line.files === sending.files.length) sending.token = line.token;
  }
  if (line.kind === 'anew') Object.assign(sending, nothingYet(), { revision: sending.revision + 1 });
  if (line.kind === 'changed') {
    sending.revision += 1;
    sending.files[line.index] = line.file;
    delete sending.uploadIds[line.index];
  }
  if (line.kind === 'announced') {
    sending.transferId = line.transferId;
    for (const [index, uploadId] of Object.entries(line.uploadIds))
      sending.uploadIds[Number(index)] = uploadId;
  }
}
