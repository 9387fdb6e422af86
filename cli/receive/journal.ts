import { createHash } from 'node:crypto';
import type { StoredLinkKeys } from '../encrypted/link-keys.ts';
import type { Cookies } from '../http/api.ts';
import { JournalFile, listJournalFiles, readJournalFile, removeJournalFile } from '../journal-file.ts';

/** Decided once, at the start. */
export type ReceivePlan = {
  id: string;
  /** Epoch milliseconds. */
  startedAt: number;
  server: string;
  token: string;
  /** Of the download, including the query. */
  path: string;
  /** 'zip': unpacked as it arrives; 'file': saved unchanged. */
  kind: 'file' | 'zip';
  /** Absolute path of the destination folder. */
  to: string;
  /** Of an encrypted transfer. */
  encryption?: StoredLinkKeys;
  /** Paths of files that the sender lists and the server does not have. */
  missing?: string[];
  files: ExpectedFile[];
  totalBytes: number;
  /** The decrypted files become one zip with this name, which is safe and none of theirs. */
  zipName?: string;
};

/** What appears in the destination folder. */
export function listResults({ files, zipName }: Pick<ReceivePlan, 'files' | 'zipName'>): string[] {
  return zipName === undefined ? files.map(({ name }) => name) : [zipName];
}

export type ExpectedFile = {
  /** Safe path below the folder, '/'-separated. */
  name: string;
  /** Index in the list of the transfer; undefined for a zip that is saved unchanged. */
  place: number | undefined;
  /** Bytes, decrypted; undefined for a zip that is saved unchanged. */
  size: number | undefined;
  /** Lower-case hex; null if the server, or the sender of an encrypted file, had not computed it. */
  sha256: string | null;
  /** Epoch milliseconds, if the sender announced it. */
  modifiedAt?: number;
  isExecutable?: true;
  /** What the sender of an encrypted file says about it. */
  sealed?: SealedFacts;
};

export type SealedFacts = {
  fileId: string;
  crc32: number | null;
  /** Written by older releases; newer ones write it outside. */
  modifiedAt?: number | null;
};

export type StartedFile = {
  index: number;
  /** Offset of its first byte in the download. */
  dataStart: number;
  /** Bytes in the download. */
  size: number;
  /**
   * Of the file as it is written. Undefined for an unencrypted file that is downloaded on its own, and for an encrypted
   * file whose SHA-256 is known.
   */
  crc32: number | undefined;
};

export type UnfinishedReceive = ReceivePlan & {
  etag: string | undefined;
  cookies: Cookies;
  /** SHA-256 of the finished files, in order; '' where it was not computed. */
  sums: string[];
  /** Offset in the download after the last finished file. */
  position: number;
  begun: StartedFile | undefined;
};

/** A file format: a newer release resumes what an older one started, so don't rename anything. */
type Line =
  | { kind: 'wish'; wish: Omit<ReceivePlan, 'files'>; fileCount: number }
  | { kind: 'files'; files: ExpectedFile[] }
  | { kind: 'answer'; etag: string; cookies: Cookies }
  | { kind: 'cookies'; cookies: Cookies }
  | { kind: 'begun'; begun: StartedFile }
  | { kind: 'whole'; sums: string[]; position: number };

const ENDING = '.receive.jsonl';
const FILES_PER_LINE = 1_000;
/** After a crash, small files that finished within this time are received again. */
const FLUSH_MS = 1_000;

/** Deterministic: receiving the same link into the same folder resumes the earlier run. */
export function receiveId(...facts: string[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 8);
}

export class ReceiveJournal {
  readonly state: UnfinishedReceive;
  readonly #file: JournalFile<Line>;
  #unwritten: string[] = [];
  #writtenAt = 0;

  private constructor(state: UnfinishedReceive, file: JournalFile<Line>) {
    this.state = state;
    this.#file = file;
  }

  static async create(plan: ReceivePlan, cookies: Cookies): Promise<ReceiveJournal> {
    await removeJournalFile(plan.id + ENDING);
    const file = await JournalFile.open<Line>(plan.id + ENDING);
    const { files, ...facts } = plan;
    await file.write({ kind: 'wish', wish: facts, fileCount: files.length }, { kind: 'cookies', cookies });
    for (let start = 0; start < files.length; start += FILES_PER_LINE)
      await file.write({ kind: 'files', files: files.slice(start, start + FILES_PER_LINE) });
    return new ReceiveJournal({ ...plan, ...initialProgress(), cookies }, file);
  }

  static async reopen(state: UnfinishedReceive): Promise<ReceiveJournal> {
    return new ReceiveJournal(state, await JournalFile.open<Line>(state.id + ENDING));
  }

  async recordResponse(etag: string, cookies: Cookies): Promise<void> {
    const known = JSON.stringify([this.state.etag, this.state.cookies]);
    Object.assign(this.state, { etag, cookies: { ...cookies } });
    if (JSON.stringify([etag, cookies]) !== known) await this.#file.write({ kind: 'answer', etag, cookies });
  }

  /** Only for files that are large enough to be resumed in the middle. */
  async recordStart(begun: StartedFile): Promise<void> {
    await this.flush();
    this.state.begun = begun;
    await this.#file.write({ kind: 'begun', begun });
  }

  /** `position`: offset in the download after the file. */
  async recordFinished(sha256: string, position: number): Promise<void> {
    this.state.sums.push(sha256);
    Object.assign(this.state, { position, begun: undefined });
    this.#unwritten.push(sha256);
    if (performance.now() - this.#writtenAt > FLUSH_MS) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#unwritten.length === 0) return;
    const sums = this.#unwritten;
    this.#unwritten = [];
    this.#writtenAt = performance.now();
    await this.#file.write({ kind: 'whole', sums, position: this.state.position });
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#file.close();
  }

  remove(): Promise<void> {
    return this.#file.remove();
  }
}

/** Oldest first. */
export async function listUnfinishedReceives(): Promise<UnfinishedReceive[]> {
  const all = await Promise.all((await listJournalFiles(ENDING)).map(readReceive));
  return all.filter((each) => each !== undefined).sort((a, b) => a.startedAt - b.startedAt);
}

export async function findUnfinishedReceive(id: string): Promise<UnfinishedReceive | undefined> {
  return await readReceive(id + ENDING);
}

/** Returns undefined if a crash cut off the list of files. */
async function readReceive(name: string): Promise<UnfinishedReceive | undefined> {
  const [head, ...lines] = await readJournalFile<Line>(name);
  if (head?.kind !== 'wish') return undefined;
  const state: UnfinishedReceive = { ...head.wish, files: [], ...initialProgress() };
  for (const line of lines) applyLine(state, line);
  return state.files.length === head.fileCount ? state : undefined;
}

function initialProgress(): Omit<UnfinishedReceive, keyof ReceivePlan> {
  return { etag: undefined, cookies: {}, sums: [], position: 0, begun: undefined };
}

function applyLine(state: UnfinishedReceive, line: Line): void {
  if (line.kind === 'files') state.files.push(...line.files);
  if (line.kind === 'cookies') state.cookies = line.cookies;
  if (line.kind === 'answer') Object.assign(state, { etag: line.etag, cookies: line.cookies });
  if (line.kind === 'begun') state.begun = line.begun;
  if (line.kind === 'whole') {
    state.sums.push(...line.sums);
    Object.assign(state, { position: line.position, begun: undefined });
  }
}
