import { SEGMENT_BYTES } from '../../../../contracts/transfers/encryption.ts';
import type { Bytes } from '../../../../encryption/bytes.ts';
import { openFile } from '../reading/open-file.ts';
import {
  BEGINNING,
  fileOutput,
  findResumePoint,
  type Output,
  produce,
  type ResumePoint,
} from '../reading/output.ts';
import type { Pace } from '../reading/pace.ts';
import { zipOutput } from '../reading/plain-zip.ts';
import { RangeSource } from '../reading/range-source.ts';
import { SliceReader } from '../reading/slice-reader.ts';
import { openFileSink } from '../sinks/file-sink.ts';
import { MOST_CLOSING, TargetFolder } from '../sinks/folder.ts';
import { openMemorySink } from '../sinks/memory-sink.ts';
import type { Sink } from '../sinks/sink.ts';
import { openStagedSink } from '../sinks/staged-sink.ts';
import { openStreamSink } from '../sinks/stream-sink.ts';
import type { FromSaverToPage, SaveJob, SaveResult, Target } from './messages.ts';

type Post = (message: FromSaverToPage) => void;

/**
 * Downloads, decrypts and saves. Only segments that are what the sender sealed reach a sink, and a failure aborts the
 * sink. Throws SaveError, or the reason of the cancellation.
 */
export function save(job: SaveJob, pace: Pace, post: Post): Promise<SaveResult> {
  return new Saver(job, pace, post).run();
}

class Saver {
  readonly #job: SaveJob;
  readonly #pace: Pace;
  readonly #post: Post;
  readonly #source: RangeSource;
  #savedBytes = 0;

  constructor(job: SaveJob, pace: Pace, post: Post) {
    this.#job = job;
    this.#pace = pace;
    this.#post = post;
    this.#source = new RangeSource({
      url: job.downloadUrl,
      sizeBytes: job.downloadBytes,
      pace,
      isArriving: job.isArriving,
      claim: job.claim,
      headers: job.headers,
      onClaim: (claim) => post({ kind: 'claimed', claim }),
      onBytes: (count) => this.#progress(count),
      onWaiting: (waitsFor) => post({ kind: 'waiting', waitsFor }),
    });
  }

  async run(): Promise<SaveResult> {
    const { target, files } = this.#job;
    // A refusal is told before anything is written.
    await this.#source.claim();
    if (target.kind === 'folder') return this.#saveFolder(await this.#createFolder(target), 0);
    if (target.kind === 'started-folder') {
      const folder = new TargetFolder(target.root);
      return this.#saveFolder(folder, await folder.countComplete(files));
    }
    const output = files.length === 1 ? fileOutput(files[0]!) : zipOutput(files);
    if (target.kind === 'staged') return this.#saveStaged(output, target.name);
    if (target.kind === 'memory') {
      const sink = openMemorySink();
      await this.#saveTo(sink, output);
      return { kind: 'memory', blob: sink.toBlob() };
    }
    if (target.kind === 'file') {
      await this.#saveTo(await openFileSink(target.handle), output);
      return { kind: 'file' };
    }
    const sink = openStreamSink(target.port, output.sizeBytes, this.#pace.canceled);
    void sink.ready.then(() => this.#post({ kind: 'stream-ready' }));
    await this.#saveTo(sink, output);
    return { kind: 'stream' };
  }

  async #createFolder({ parent, name }: Target & { kind: 'folder' }): Promise<TargetFolder> {
    const folder = await TargetFolder.create(parent, name);
    this.#post({ kind: 'folder-created', root: folder.root });
    return folder;
  }

  /** `from`: the first file to save. */
  async #saveFolder(folder: TargetFolder, from: number): Promise<SaveResult> {
    const { files, downloadBytes } = this.#job;
    const start = from === 0 ? 0 : (files[from]?.sealedStart ?? downloadBytes - 1);
    this.#progress(start);
    const reader = new SliceReader(this.#source, { start });
    // Chromium reads a file once more before it closes it, which takes longer than to download it.
    const closing: Promise<void>[] = [];
    try {
      for (const file of files.slice(from)) {
        const sink = await folder.open(file.path);
        await this.#pour(sink, openFile(this.#job.key, reader, file));
        const closed = this.#close(sink);
        closed.catch(() => undefined);
        closing.push(closed);
        if (closing.length > MOST_CLOSING) await closing.shift();
      }
      await reader.finish();
      this.#post({ kind: 'closing' });
      await Promise.all(closing);
    } catch (error) {
      // The files that are closing are complete. Somebody who cancels does not want to wait for them.
      if (!this.#pace.canceled.aborted) await Promise.allSettled(closing);
      throw error;
    }
    return { kind: 'folder', name: folder.name, fileCount: files.length };
  }

  async #saveStaged(output: Output, name: string): Promise<SaveResult> {
    const sink = await openStagedSink(name);
    // Without the claim of the earlier attempt, these may be bytes of another version.
    const from = this.#job.claim ? findResumePoint(output, sink.savedBytes) : BEGINNING;
    try {
      sink.truncate(from.offset);
    } catch (error) {
      await sink.abort();
      throw error;
    }
    await this.#saveTo(sink, output, from);
    return { kind: 'staged' };
  }

  async #saveTo(sink: Sink, output: Output, from: ResumePoint = BEGINNING): Promise<void> {
    const start = startInDownload(output, from, this.#job.downloadBytes);
    this.#progress(start);
    const reader = new SliceReader(this.#source, { start });
    await this.#pour(sink, produce(output, { key: this.#job.key, reader }, from), () => reader.finish());
    this.#post({ kind: 'closing' });
    await this.#close(sink);
  }

  /** Writes all pieces, or aborts the sink. */
  #pour(sink: Sink, pieces: AsyncIterable<Bytes>, finish?: () => Promise<void>): Promise<void> {
    return orAbort(sink, async () => {
      for await (const piece of pieces) {
        if (piece.length > 0) await sink.write(piece);
        await this.#pace.wait();
      }
      await finish?.();
    });
  }

  #close(sink: Sink): Promise<void> {
    return orAbort(sink, () => sink.close());
  }

  #progress(count: number): void {
    this.#savedBytes += count;
    this.#post({ kind: 'progress', savedBytes: this.#savedBytes, totalBytes: this.#job.downloadBytes });
  }
}

async function orAbort(sink: Sink, act: () => Promise<void>): Promise<void> {
  try {
    await act();
  } catch (error) {
    await sink.abort();
    throw error;
  }
}

/** The first byte of the download that is needed to go on from this point. */
function startInDownload(output: Output, { file, segment = 0 }: ResumePoint, downloadBytes: number): number {
  const planned = output.files[file];
  if (!planned) return downloadBytes - 1;
  return file === 0 && segment === 0 ? 0 : planned.sealedStart + segment * SEGMENT_BYTES;
}
