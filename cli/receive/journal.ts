import { createHash } from 'node:crypto';
import type { Cookies } from '../http/cookies.ts';
import { LineFile, listLineFiles, readLineFile, removeLineFile } from '../journal-file.ts';

/** What is to be received, decided once. */
export type Wish = {
  id: string;
  /** Epoch milliseconds. */
  startedAt: number;
  server: string;
  token: string;
  /** Of the call that gives the bytes. */
  path: string;
  /** 'zip': one that is unpacked as it comes; 'file': bytes that are kept as they come. */
  kind: 'file' | 'zip';
  /** The folder, absolute. */
  to: string;
  files: ExpectedFile[];
  /** Bytes of the files. */
  totalBytes: number;
};

export type ExpectedFile = {
  /** Below the folder, '/'-separated, safe. */
  name: string;
  /** Its place in the transfer's list; undefined for a zip that is kept. */
  place: number | undefined;
  /** Bytes; undefined for a zip that is kept. */
  size: number | undefined;
  /** Lower-case hex; null while the server was still computing it. */
  sha256: string | null;
};

/** The file that is being written. */
export type BegunFile = {
  index: number;
  /** Where its bytes begin in what is downloaded. */
  dataStart: number;
  /** Bytes. */
  size: number;
  /** Where a zip tells it. */
  crc32: number | undefined;
};

export type Receiving = Wish & {
  etag: string | undefined;
  cookies: Cookies;
  /** SHA-256 of the files that are whole, in their order. */
  sums: string[];
  /** Behind the last of them, in what is downloaded. */
  position: number;
  begun: BegunFile | undefined;
};

type Line =
  | { kind: 'wish'; wish: Omit<Wish, 'files'>; fileCount: number }
  | { kind: 'files'; files: ExpectedFile[] }
  | { kind: 'answer'; etag: string; cookies: Cookies }
  | { kind: 'cookies'; cookies: Cookies }
  | { kind: 'begun'; begun: BegunFile }
  | { kind: 'whole'; sums: string[]; position: number };

const ENDING = '.receive.jsonl';
const FILES_PER_LINE = 1_000;
/** A kill costs at most so much of small files again. */
const FLUSH_MS = 1_000;

/** The same link into the same folder is the same receiving, also in another run. */
export function receivingId(...facts: string[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 8);
}

/** Keeps a receiving, so that another run can go on with it. */
export class ReceiveJournal {
  readonly receiving: Receiving;
  readonly #lines: LineFile<Line>;
  #unwritten: string[] = [];
  #writtenAt = 0;

  private constructor(receiving: Receiving, lines: LineFile<Line>) {
    this.receiving = receiving;
    this.#lines = lines;
  }

  static async begin(wish: Wish, cookies: Cookies): Promise<ReceiveJournal> {
    await removeLineFile(wish.id + ENDING);
    const lines = await LineFile.open<Line>(wish.id + ENDING);
    const { files, ...facts } = wish;
    await lines.write({ kind: 'wish', wish: facts, fileCount: files.length }, { kind: 'cookies', cookies });
    for (let start = 0; start < files.length; start += FILES_PER_LINE)
      await lines.write({ kind: 'files', files: files.slice(start, start + FILES_PER_LINE) });
    return new ReceiveJournal({ ...wish, ...nothingYet(), cookies }, lines);
  }

  static async reopen(receiving: Receiving): Promise<ReceiveJournal> {
    return new ReceiveJournal(receiving, await LineFile.open<Line>(receiving.id + ENDING));
  }

  async noteAnswer(etag: string, cookies: Cookies): Promise<void> {
    const known = JSON.stringify([this.receiving.etag, this.receiving.cookies]);
    Object.assign(this.receiving, { etag, cookies: { ...cookies } });
    if (JSON.stringify([etag, cookies]) !== known) await this.#lines.write({ kind: 'answer', etag, cookies });
  }

  /** Only for files that are worth going on in their middle. */
  async noteBegun(begun: BegunFile): Promise<void> {
    await this.flush();
    this.receiving.begun = begun;
    await this.#lines.write({ kind: 'begun', begun });
  }

  async noteWhole(sha256: string, position: number): Promise<void> {
    const { receiving } = this;
    receiving.sums.push(sha256);
    Object.assign(receiving, { position, begun: undefined });
    this.#unwritten.push(sha256);
    if (performance.now() - this.#writtenAt > FLUSH_MS) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#unwritten.length === 0) return;
    const sums = this.#unwritten;
    this.#unwritten = [];
    this.#writtenAt = performance.now();
    await this.#lines.write({ kind: 'whole', sums, position: this.receiving.position });
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#lines.close();
  }

  /** It is through. */
  remove(): Promise<void> {
    return this.#lines.remove();
  }
}

/** All that are unfinished, the oldest first. */
export async function listReceivings(): Promise<Receiving[]> {
  const all = await Promise.all((await listLineFiles(ENDING)).map(readReceiving));
  return all.filter((each) => each !== undefined).sort((a, b) => a.startedAt - b.startedAt);
}

export async function findReceiving(id: string): Promise<Receiving | undefined> {
  return await readReceiving(id + ENDING);
}

export async function forgetReceiving(id: string): Promise<void> {
  await removeLineFile(id + ENDING);
}

async function readReceiving(name: string): Promise<Receiving | undefined> {
  const [head, ...lines] = await readLineFile<Line>(name);
  if (head?.kind !== 'wish') return undefined;
  const receiving: Receiving = { ...head.wish, files: [], ...nothingYet() };
  for (const line of lines) applyLine(receiving, line);
  return receiving.files.length === head.fileCount ? receiving : undefined;
}

function nothingYet(): Omit<Receiving, keyof Wish> {
  return { etag: undefined, cookies: {}, sums: [], position: 0, begun: undefined };
}

function applyLine(receiving: Receiving, line: Line): void {
  if (line.kind === 'files') receiving.files.push(...line.files);
  if (line.kind === 'cookies') receiving.cookies = line.cookies;
  if (line.kind === 'answer') Object.assign(receiving, { etag: line.etag, cookies: line.cookies });
  if (line.kind === 'begun') receiving.begun = line.begun;
  if (line.kind === 'whole') {
    receiving.sums.push(...line.sums);
    Object.assign(receiving, { position: line.position, begun: undefined });
  }
}
