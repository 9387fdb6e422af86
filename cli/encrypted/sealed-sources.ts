import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CommandError, EXIT, usageError } from '../../command-line/exit-codes.ts';
import { ByteReader, EndedEarlyError } from '../receive/download.ts';
import { readZippedFile, ZipError } from '../receive/zip-reader.ts';

/** The ciphertext of one file, on this computer. */
export type SealedSource = {
  /** Its id, unless someone renamed it. */
  name: string;
  /** Bytes. */
  size: number;
  /** From the beginning. One reader of a zip at a time. Call `close` in the end. */
  open(): Promise<{ reader: ByteReader; close(): Promise<void> }>;
};

const READ_BYTES = 1024 * 1024;
const HEADER_READ_BYTES = 512;
const ZIP_SIGNATURES = new Set([0x04034b50, 0x06054b50]);

/** Lists a zip from the server, a folder with its unpacked files, or a single file. Throws CommandError. */
export async function listSealedSources(
  path: string,
): Promise<{ kind: 'zip' | 'folder' | 'file'; sources: SealedSource[] }> {
  const found = await stat(path).catch(() => {
    throw usageError(`${path}: no such file or folder.`);
  });
  if (found.isDirectory()) return { kind: 'folder', sources: await listFolder(path) };
  if (await isZip(path)) return { kind: 'zip', sources: await listZip(path, found.size) };
  return { kind: 'file', sources: [fileSource(path, found.size)] };
}

async function listFolder(path: string): Promise<SealedSource[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  return await Promise.all(paths.map(async (each) => fileSource(each, (await stat(each)).size)));
}

function fileSource(path: string, size: number): SealedSource {
  return { name: basename(path), size, open: () => openAt(path, 0) };
}

async function isZip(path: string): Promise<boolean> {
  return await withFile(path, async (file) => {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return bytesRead === 4 && ZIP_SIGNATURES.has(buffer.readUInt32LE(0));
  });
}

/** Reads the local headers only. */
async function listZip(path: string, zipBytes: number): Promise<SealedSource[]> {
  return await withFile(path, async (file) => {
    const sources: SealedSource[] = [];
    try {
      for (let at = 0; ; ) {
        const entry = await readZippedFile(new ByteReader(readFrom(file, at, HEADER_READ_BYTES), at));
        if (!entry) return sources;
        const { name, size, dataStart } = entry;
        at = dataStart + size;
        if (at > zipBytes) throw new EndedEarlyError();
        sources.push({ name, size, open: () => openAt(path, dataStart) });
      }
    } catch (error) {
      if (error instanceof EndedEarlyError)
        throw new CommandError(
          EXIT.failed,
          `${path} is incomplete. Fetch the rest, for example with \`curl -C -\`.`,
        );
      if (error instanceof ZipError) throw new CommandError(EXIT.failed, `${path}: ${error.message}`);
      throw error;
    }
  });
}

async function openAt(path: string, start: number) {
  const file = await open(path);
  return { reader: new ByteReader(readFrom(file, start, READ_BYTES), start), close: () => file.close() };
}

/** Each piece stays unchanged until the next one is requested. */
async function* readFrom(file: FileHandle, start: number, pieceBytes: number): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(pieceBytes);
  for (let at = start; ; ) {
    const { bytesRead } = await file.read(buffer, 0, pieceBytes, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}
