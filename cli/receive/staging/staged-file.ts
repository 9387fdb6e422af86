import { createHash, type Hash } from 'node:crypto';
import {
  closeSync,
  fchmodSync,
  fstatSync,
  ftruncateSync,
  futimesSync,
  mkdirSync,
  openSync,
  read,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';

const REREAD_BYTES = 1024 * 1024;
/**
 * Of one write. Virtual machines that return free memory to their host need several times as long for larger ones,
 * because Linux caches those in larger pieces of memory, which it must fetch from the host again.
 */
const WRITE_BYTES = 64 * 1024;
const READ_BITS = 0o444;
const MAX_MODE = 0o755;

const readInThread = promisify(read);

type OpenOptions = {
  /** Continues after this many bytes of the file. */
  keepBytes?: number;
  /** What `sums` returns. */
  sums: WantedSums;
};

export type WantedSums = { sha256: boolean; crc32: boolean };

/**
 * A partly received file with its running checksums. Opens, writes and closes it synchronously: that costs less than
 * handing the bytes to a thread.
 */
export class StagedFile {
  readonly #file: number;
  readonly #sha256: Hash | undefined;
  #crc32: number | undefined;
  #length = 0;

  private constructor(file: number, wanted: WantedSums) {
    this.#file = file;
    if (wanted.sha256) this.#sha256 = createHash('sha256');
    if (wanted.crc32) this.#crc32 = 0;
  }

  /** Creates the file, or continues after its first `keepBytes`, which it reads once for the checksums. */
  static async open(path: string, { keepBytes = 0, sums }: OpenOptions): Promise<StagedFile> {
    mkdirSync(dirname(path), { recursive: true });
    const staged = new StagedFile(openSync(path, keepBytes > 0 ? 'r+' : 'w+'), sums);
    try {
      if (keepBytes > 0) await staged.#reread(keepBytes);
      return staged;
    } catch (error) {
      staged.close();
      throw error;
    }
  }

  /** Bytes received so far. */
  get length(): number {
    return this.#length;
  }

  write(bytes: Buffer): void {
    for (let start = 0; start < bytes.length; ) {
      const size = Math.min(WRITE_BYTES, bytes.length - start);
      start += writeSync(this.#file, bytes, start, size, this.#length + start);
    }
    this.#count(bytes);
  }

  /** Of all bytes. Can be called once. SHA-256 in lower-case hex. */
  sums(): { crc32: number | undefined; sha256: string | undefined } {
    return { crc32: this.#crc32, sha256: this.#sha256?.digest('hex') };
  }

  /** Epoch milliseconds. Moving the file into place keeps it. Does nothing where the file system has no such time. */
  setModifiedAt(time: number): void {
    // Node replaces a negative number with the current time.
    const date = new Date(time);
    ignoreRefusal(() => futimesSync(this.#file, date, date));
  }

  /** For everybody who may read it, like `chmod +x`. Does nothing where files cannot be executable. */
  makeExecutable(): void {
    const { mode } = fstatSync(this.#file);
    const executeBits = (mode & READ_BITS) >> 2;
    ignoreRefusal(() => fchmodSync(this.#file, (mode | executeBits) & MAX_MODE));
  }

  close(): void {
    closeSync(this.#file);
  }

  async #reread(end: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(REREAD_BYTES);
    while (this.#length < end) {
      const wanted = Math.min(REREAD_BYTES, end - this.#length);
      const { bytesRead } = await readInThread(this.#file, buffer, 0, wanted, this.#length);
      if (bytesRead === 0) throw new Error('A file that was being received has become shorter.');
      this.#count(buffer.subarray(0, bytesRead));
    }
    ftruncateSync(this.#file, end);
  }

  #count(bytes: Buffer): void {
    this.#sha256?.update(bytes);
    if (this.#crc32 !== undefined) this.#crc32 = crc32(bytes, this.#crc32);
    this.#length += bytes.length;
  }
}

/** File systems differ in the times and permissions they can store, and the bytes matter more. */
function ignoreRefusal(set: () => void): void {
  try {
    set();
  } catch (error) {
    if (
      !['EINVAL', 'EOVERFLOW', 'EPERM', 'ENOTSUP', 'ENOSYS'].includes(
        String((error as NodeJS.ErrnoException).code),
      )
    )
      throw error;
  }
}
