/** Large enough that a read and a write cost little beside their bytes, small enough for many slow clients. */
const BLOCK_BYTES = 256 * 1024;
/** A body up to this length gets a buffer of exactly its length; taking a block for it would waste memory. */
const SMALL_BODY_BYTES = 64 * 1024;
/** Blocks kept for the next download, enough for sixty at once; those dropped would stay until collected. */
const FREE_BLOCKS_MAX = 128;

const freeBlocks: Buffer[] = [];

/** The buffers for sending `lengthBytes`: one when it fits, else two to fill and send in turn. */
export function borrowBlocks(lengthBytes: number): Buffer[] {
  if (lengthBytes <= SMALL_BODY_BYTES) return [Buffer.allocUnsafeSlow(lengthBytes)];
  return lengthBytes <= BLOCK_BYTES ? [takeBlock()] : [takeBlock(), takeBlock()];
}

/** Takes buffers back. Only those that nobody reads from or writes to any more may be returned. */
export function returnBlocks(blocks: Buffer[]): void {
  for (const block of blocks) {
    if (block.length === BLOCK_BYTES && freeBlocks.length < FREE_BLOCKS_MAX) freeBlocks.push(block);
  }
}

function takeBlock(): Buffer {
  return freeBlocks.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
}
