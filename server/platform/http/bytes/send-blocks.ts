import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { KIB, MIB } from '../../../../contracts/values/sizes.ts';
import type { ByteReader } from '../../lib/byte-source.ts';

export type Sending = {
  response: ServerResponse;
  /** The caller closes it. */
  reader: ByteReader;
  lengthBytes: number;
  /** Called after the first read, so that an earlier failure can still be answered with an error. */
  writeHead: () => void;
  stallMs: number;
  /** Called before each write and once at the end. */
  onProgress: (progress: SendProgress) => void;
};

export type SendProgress = {
  /** Accepted by the kernel. */
  sentBytes: number;
  /** `sentBytes` plus the block being written: an upper bound of what the client received. */
  begunBytes: number;
};

/**
 * Reads the next block while the last one is being written. Resolves when everything is written or the client
 * has disconnected. Rejects if reading fails; if the head was already sent, the connection is destroyed, so
 * that no client mistakes a truncated body for a complete one.
 */
export async function sendBlocks(sending: Sending): Promise<void> {
  const blocks = acquireBlocks(sending.lengthBytes);
  running += 1;
  try {
    if (await pumpBlocks(sending, blocks)) releaseBlocks(blocks);
  } finally {
    running -= 1;
  }
}

/** False if a write was aborted; the kernel may still be using a buffer then. */
async function pumpBlocks({ response, reader, ...sending }: Sending, blocks: Buffer[]): Promise<boolean> {
  const { lengthBytes } = sending;
  let block = blocks[0]!.subarray(0, lengthBytes);
  await reader.fill(block);
  if (response.destroyed) return true;
  cutOffWhenStalled(response, sending.stallMs);
  sending.writeHead();
  for (let filled = block.length, sent = 0; ; ) {
    sending.onProgress({ sentBytes: sent, begunBytes: sent + block.length });
    blocks.reverse();
    blocks[0] = resizeBlock(blocks[0]!, lengthBytes - filled);
    const next = blocks[0]!.subarray(0, lengthBytes - filled);
    const writing = writeBlock(response, block, filled === lengthBytes);
    const reading = next.length > 0 ? fillOrDestroy(reader, next, response) : undefined;
    const [isWritten] = await Promise.all([writing, reading]);
    if (!isWritten) return false;
    sent += block.length;
    if (sent === lengthBytes) {
      sending.onProgress({ sentBytes: sent, begunBytes: sent });
      return true;
    }
    block = next;
    filled += next.length;
  }
}

export async function fillOrDestroy(
  reader: ByteReader,
  block: Buffer,
  response: ServerResponse,
): Promise<void> {
  try {
    await reader.fill(block);
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** True once the block may be reused; false if the client has disconnected. */
export function writeBlock(response: ServerResponse, block: Buffer, isLast: boolean): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onClose = () => resolve(false);
    response.once('close', onClose);
    response.write(block, (error) => {
      response.off('close', onClose);
      resolve(!error);
    });
    if (isLast) response.end();
  });
}

/** Downloads begin with small blocks, so that the first byte doesn't wait for a long read. */
export const SMALL_BLOCK_BYTES = 256 * KIB;
const LARGE_BLOCK_BYTES = MIB;
/** While more downloads run, all use small blocks, which bounds the memory. */
const LARGE_BLOCK_DOWNLOADS = 16;
/** A small body gets a buffer of its length, because a block would waste memory. */
const SMALL_BODY_BYTES = 64 * KIB;
/** By size. Enough for 64 concurrent downloads with small blocks, and for 4 with large ones. */
const FREE_BLOCKS_MAX = new Map([
  [SMALL_BLOCK_BYTES, 128],
  [LARGE_BLOCK_BYTES, 8],
]);

const freeBlocks = new Map<number, Buffer[]>([
  [SMALL_BLOCK_BYTES, []],
  [LARGE_BLOCK_BYTES, []],
]);
let running = 0;

/** One buffer if it fits, otherwise two that alternate. */
function acquireBlocks(lengthBytes: number): Buffer[] {
  if (lengthBytes <= SMALL_BODY_BYTES) return [Buffer.allocUnsafeSlow(lengthBytes)];
  const small = () => acquireBlock(SMALL_BLOCK_BYTES);
  return lengthBytes <= SMALL_BLOCK_BYTES ? [small()] : [small(), small()];
}

/** Exchanges an idle block for one of the size that fits the number of running downloads. */
function resizeBlock(block: Buffer, leftBytes: number): Buffer {
  const isLarge = running <= LARGE_BLOCK_DOWNLOADS && leftBytes >= LARGE_BLOCK_BYTES;
  const sizeBytes = isLarge ? LARGE_BLOCK_BYTES : SMALL_BLOCK_BYTES;
  // A large block also serves the rest of a download, unless memory is needed.
  if (block.length === sizeBytes || leftBytes === 0) return block;
  if (!isLarge && running <= LARGE_BLOCK_DOWNLOADS) return block;
  releaseBlocks([block]);
  return acquireBlock(sizeBytes);
}

/** No read or write may still be using them. */
export function releaseBlocks(blocks: Buffer[]): void {
  for (const block of blocks) {
    const free = freeBlocks.get(block.length);
    if (free && free.length < FREE_BLOCKS_MAX.get(block.length)!) free.push(block);
  }
}

export function acquireBlock(sizeBytes: number): Buffer {
  return freeBlocks.get(sizeBytes)?.pop() ?? Buffer.allocUnsafeSlow(sizeBytes);
}

/** Checks per `stallMs`. */
const CHECKS = 4;

/**
 * Disconnects a client that accepts no bytes for `stallMs` (detected up to a quarter later). Node's timeout
 * sees progress only once a third of the kernel's send buffer (up to 4 MiB) has drained, which takes minutes
 * on a slow connection. So when it fires, this reads the acknowledged bytes from the kernel. Doesn't count the
 * time while `isWaiting`, when there are no bytes to accept.
 */
export function cutOffWhenStalled(
  response: ServerResponse,
  stallMs: number,
  isWaiting: () => boolean = () => false,
): void {
  let seen = '';
  let checksWithoutProgress = 0;
  response.setTimeout(stallMs / CHECKS, async () => {
    const progress = response.socket ? await describeProgress(response.socket) : '';
    if (response.destroyed || response.writableFinished) return;
    checksWithoutProgress = progress === seen && !isWaiting() ? checksWithoutProgress + 1 : 0;
    if (checksWithoutProgress === CHECKS) return void response.destroy();
    seen = progress;
    response.socket?.setTimeout(stallMs / CHECKS);
  });
}

async function describeProgress(socket: Socket): Promise<string> {
  const unsent = await readUnsentBytes(socket);
  return `${socket.bytesWritten} handed over, ${unsent} of them unsent`;
}

type Ends = Pick<Socket, 'localPort' | 'remotePort' | 'remoteFamily'>;

/**
 * Unacknowledged bytes in the kernel; undefined where the system doesn't report them. If two remote hosts use
 * the same port it is the sum of both, which is enough to detect progress.
 */
export async function readUnsentBytes(socket: Ends): Promise<number | undefined> {
  const table = await readFile(
    `/proc/self/net/${socket.remoteFamily === 'IPv6' ? 'tcp6' : 'tcp'}`,
    'utf8',
  ).catch(() => undefined);
  const [local, remote] = [socket.localPort, socket.remotePort].map(toHexPort);
  const lines = table?.matchAll(new RegExp(`:${local} [0-9A-F]+:${remote} [0-9A-F]{2} ([0-9A-F]{8}):`, 'g'));
  return lines && [...lines].reduce((sum, line) => sum + Number.parseInt(line[1]!, 16), 0);
}

function toHexPort(port = 0): string {
  return port.toString(16).toUpperCase().padStart(4, '0');
}
