import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { directoryBytes, layOutFiles, localHeaderBytes } from '../../contracts/zip/file-zip.ts';
import type { ExpectedFile } from './journal.ts';

const PIECE_BYTES = 1024 * 1024;

type ZipPlan = { name: string; files: readonly ExpectedFile[] };

/**
 * Writes files of a folder into a zip beside them, laid out as the server lays out its zips. An earlier one is
 * replaced. Throws the signal's reason.
 */
export async function writeZip(folder: string, { name, files }: ZipPlan, signal: AbortSignal): Promise<void> {
  const facts: Parameters<typeof layOutFiles>[0][number][] = [];
  for (const { name: path, size, sealed, isExecutable, ...file } of files) {
    const modifiedAt = file.modifiedAt ?? sealed?.modifiedAt ?? null;
    facts.push({
      path,
      sizeBytes: size!,
      crc32: sealed?.crc32 ?? (await sumFile(join(folder, path), signal)),
      modifiedAt: modifiedAt ?? Date.now(),
      isTimeKnown: modifiedAt !== null,
      ...(isExecutable && { isExecutable }),
    });
  }
  const layout = layOutFiles(facts);
  const zip = await open(join(folder, name), 'w');
  try {
    for (const [index, { name: path }] of files.entries()) {
      await writeAll(zip, localHeaderBytes(layout, index));
      for await (const piece of readPieces(join(folder, path), signal)) await writeAll(zip, piece);
    }
    await writeAll(zip, directoryBytes(layout));
  } finally {
    await zip.close();
  }
}

async function sumFile(path: string, signal: AbortSignal): Promise<number> {
  let sum = 0;
  for await (const piece of readPieces(path, signal)) sum = crc32(piece, sum);
  return sum;
}

/** Each piece is valid until the next one is requested. */
async function* readPieces(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  const file = await open(path);
  const buffer = Buffer.allocUnsafe(PIECE_BYTES);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(buffer, 0, PIECE_BYTES);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let written = 0; written < bytes.length; ) written += (await file.write(bytes, written)).bytesWritten;
}
