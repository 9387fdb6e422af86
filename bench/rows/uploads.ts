import { closeSync, fdatasyncSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { GIB, KIB, MIB } from '../../contracts/values/sizes.ts';
import { atLeast, type Contender, cpuAtMost, type Row } from '../measure.ts';
import type { Server } from '../servers/servers.ts';
import { putting, type Stage, sending, warmMemory } from './stage.ts';

const LARGE_LANES = 4;
const SMALL_LANES = 8;

export function uploadRows(stage: Stage): Record<string, () => Promise<Row>> {
  const { block, others, nginx } = stage;
  const folderOf = (index: number) => `${Math.floor(index / 100)}/${index}.bin`;
  /** The same bytes over as many connections, a file each. */
  const inQuarters = (server: Server) => {
    const quarters = { name: (index: number) => `${index}.bin`, body: block, lanes: LARGE_LANES };
    return putting(stage, server, quarters, LARGE_LANES);
  };
  return {
    'upload 1 GiB, 4 lanes': async () => {
      const chunk = block.subarray(0, CHUNK_BYTES);
      const sendwell = await stage.start();
      return {
        unit: 'MB/s',
        amount: GIB / 1e6,
        beforeEach: warmMemory,
        contenders: [
          sending('sendwell', sendwell, (client) => client.sendFile('up.bin', GIB, chunk, LARGE_LANES)),
          ...others.map(inQuarters),
          ...(nginx ? [synced(inQuarters(nginx))] : []),
        ],
        goals: nginx ? [atLeast(0.75, 'nginx'), atLeast(1, 'nginx+sync'), cpuAtMost(1.3)] : [cpuAtMost(1.3)],
      };
    },
    'upload 200 × 1 MiB': async () => {
      const body = block.subarray(0, MIB);
      const sendwell = await stage.start();
      const puts = { name: folderOf, body, lanes: SMALL_LANES };
      return {
        unit: 'MB/s',
        amount: (200 * MIB) / 1e6,
        beforeEach: warmMemory,
        contenders: [
          sending('sendwell', sendwell, (client) => client.sendFiles(200, body, SMALL_LANES)),
          ...others.map((server) => putting(stage, server, puts, 200)),
          ...(nginx ? [synced(putting(stage, nginx, puts, 200))] : []),
        ],
        goals: nginx ? [atLeast(0.65, 'nginx')] : [],
      };
    },
    'upload 5,000 × 10 KiB': async () => {
      const body = block.subarray(0, 10 * KIB);
      const sendwell = await stage.start();
      const puts = { name: folderOf, body, lanes: SMALL_LANES };
      return {
        unit: 'files/s',
        amount: 5_000,
        beforeEach: warmMemory,
        contenders: [
          sending('sendwell', sendwell, (client) => client.sendFiles(5_000, body, SMALL_LANES)),
          ...others.map((server) => putting(stage, server, puts, 5_000)),
        ],
      };
    },
  };
}

/** With the files on the disk at the end, as a complete upload to Sendwell promises. */
function synced(contender: Contender & { directory: string }): Contender {
  const { directory } = contender;
  return {
    ...contender,
    name: `${contender.name}+sync`,
    run: async () => {
      await contender.run();
      const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
      for (const entry of entries.filter((each) => each.isFile())) {
        const file = openSync(join(entry.parentPath, entry.name), 'r');
        fdatasyncSync(file);
        closeSync(file);
      }
      return undefined;
    },
  };
}
