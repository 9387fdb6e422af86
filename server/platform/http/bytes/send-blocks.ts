import type { ServerResponse } from 'node:http';
import type { ByteReader } from '../../lib/byte-source.ts';
import { cutOffWhenStalled } from './stall-watch.ts';

type Sending = {
  response: ServerResponse;
  /** Open for exactly `lengthBytes`; stays the caller's to close. */
  reader: ByteReader;
  lengthBytes: number;
  /** Called when the first bytes are there, so that a failure before can still be answered as an error. */
  writeHead: () => void;
  /** A client that takes nothing for so long is cut off. */
  stallMs: number;
  /** Called before each write and once at the end. */
  onProgress: (progress: SendProgress) => void;
};

export type SendProgress = {
  /** Bytes that the system has taken for the client. */
  sentBytes: number;
  /** Those and the block that is being written. The client has received no more than this. */
  begunBytes: number;
};

/**
 * Sends a whole body block by block, reading the next block while the last is being written. Resolves when
 * all is written or the client has gone. Rejects when reading fails; once the head is out, the connection is
 * destroyed then, so that no client takes what it has for the whole.
 */
export async function sendBlocks(sending: Sending): Promise<void> {
  const blocks = acquireBlocks(sending.lengthBytes);
  if (await pumpBlocks(sending, blocks)) releaseBlocks(blocks);
}

/** Returns false when a write was broken off: the system may still hold a buffer then. */
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

async function fillOrDestroy(reader: ByteReader, block: Buffer, response: ServerResponse): Promise<void> {
  try {
    await reader.fill(block);
  } catch (error) {
    response.destroy();
    throw error;
  }
}

/** Resolves true when the system has taken all bytes (the block may be reused), false when the client has gone. */
function writeBlock(response: ServerResponse, block: Buffer, isLast: boolean): Promise<boolean> {
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

/** Large enough that a read and a write cost little beside their bytes, small enough for many slow clients. */
const BLOCK_BYTES = 256 * 1024;
/** A body up to this length gets a buffer of exactly its length; taking a block for it would waste memory. */
const SMALL_BODY_BYTES = 64 * 1024;
/** Blocks kept for the next download, enough for sixty at once; those dropped would stay until collected. */
const FREE_BLOCKS_MAX = 128;

const freeBlocks: Buffer[] = [];

/** The buffers for sending `lengthBytes`: one when it fits, else two to fill and send in turn. */
function acquireBlocks(lengthBytes: number): Buffer[] {
  if (lengthBytes <= SMALL_BODY_BYTES) return [Buffer.allocUnsafeSlow(lengthBytes)];
  return lengthBytes <= BLOCK_BYTES ? [acquireBlock()] : [acquireBlock(), acquireBlock()];
}

/** Takes buffers back. Only those that nobody reads from or writes to any more may be returned. */
function releaseBlocks(blocks: Buffer[]): void {
  for (const block of blocks) {
    if (block.length === BLOCK_BYTES && freeBlocks.length < FREE_BLOCKS_MAX) freeBlocks.push(block);
  }
}

function acquireBlock(): Buffer {
  return freeBlocks.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
}
