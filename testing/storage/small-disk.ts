import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

/** A separate file system that a test can fill up. */
export type SmallDisk = {
  path: string;
  freeBytes(): number;
  /** Fills the disk until at most this many bytes are free. */
  fill(leftBytes?: number): void;
  clear(): void;
  /** Resizes the file system, at least to the size of its contents. */
  resize(sizeBytes: number): void;
};

const FILL_BYTES = 1024 * 1024;

/** Mounts a tmpfs. Without the right to do so, skips the test and returns undefined. */
export async function mountSmallDisk(t: TestContext, sizeBytes: number): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'sendwell-disk-'));
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeBytes}`, 'tmpfs', path]);
  if (mount.status !== 0) {
    await rm(path, { recursive: true });
    t.skip('Mounting a tmpfs is not allowed here.');
    return undefined;
  }
  t.after(async () => {
    spawnSync('umount', ['--lazy', path]);
    await rm(path, { recursive: true });
  });
  const filler = join(path, 'filler');
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  };
  return {
    path,
    freeBytes,
    fill(leftBytes = 0) {
      while (freeBytes() > leftBytes) {
        const bytes = Math.min(FILL_BYTES, freeBytes() - leftBytes);
        writeFileSync(filler, Buffer.alloc(bytes), { flag: 'a' });
      }
    },
    resize(sizeBytes) {
      const { blocks, bfree, bsize } = statfsSync(path);
      const size = Math.max(sizeBytes, (blocks - bfree) * bsize);
      const { status, stderr } = spawnSync('mount', ['-o', `remount,size=${size}`, path]);
      if (status !== 0) throw new Error(String(stderr));
    },
    clear: () => rmSync(filler, { force: true }),
  };
}
