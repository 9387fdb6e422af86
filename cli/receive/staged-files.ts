import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';

const REREAD_BYTES = 1024 * 1024;

/** A file as it grows, with its sums. */
export class StagedFile {
  readonly #file: FileHandle;
  readonly #sha256: Hash = createHash('sha256');
  #crc32 = 0;
  #length = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Opens it empty, or with `keepBytes` goes on behind what is there, which is read once for the sums. */
  static async open(path: string, keepBytes = 0): Promise<StagedFile> {
    await mkdir(dirname(path), { recursive: true });
    const staged = new StagedFile(await open(path, keepBytes > 0 ? 'r+' : 'w+'));
    try {
      await staged.#rereadTo(keepBytes);
      if (keepBytes > 0) await staged.#file.truncate(keepBytes);
      return staged;
    } catch (error) {
      await staged.close();
      throw error;
    }
  }

  /** Bytes. */
  get length(): number {
    return this.#length;
  }

  async write(bytes: Buffer): Promise<void> {
    const writing = this.#writeAll(bytes);
    // While the system writes, the sums are taken.
    this.#note(bytes);
    await writing;
    this.#length += bytes.length;
  }

  /** The sums of all that was written. */
  sums(): { crc32: number; sha256: string } {
    return { crc32: this.#crc32, sha256: this.#sha256.copy().digest('hex') };
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #writeAll(bytes: Buffer): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#length + done);
      done += bytesWritten;
    }
  }

  async #rereadTo(end: number): Promise<void> {
    const buffer = Buffer.allocUnsafe(REREAD_BYTES);
    while (this.#length < end) {
      const wanted = Math.min(REREAD_BYTES, end - this.#length);
      const { bytesRead } = await this.#file.read(buffer, 0, wanted, this.#length);
      if (bytesRead === 0) throw new Error('A file that was being received became shorter.');
      this.#note(buffer.subarray(0, bytesRead));
      this.#length += bytesRead;
    }
  }

  #note(bytes: Buffer): void {
    this.#sha256.update(bytes);
    this.#crc32 = crc32(bytes, this.#crc32);
  }
}
