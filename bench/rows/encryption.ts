/** End-to-end encryption in this process, beside AES-GCM of the same WebCrypto with one key and no format. */
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { SEGMENT_BYTES, SEGMENT_PLAIN_BYTES } from '../../contracts/transfers/encryption.ts';
import { type Bytes, randomBytes } from '../../encryption/bytes.ts';
import { createEncryption } from '../../encryption/keys.ts';
import { createFileId, openSegments, sealSegments } from '../../encryption/segments.ts';
import { type Contender, cpuAtMost, type Row } from '../measure.ts';
import type { Stage } from './stage.ts';

const PER_CHUNK = CHUNK_BYTES / SEGMENT_BYTES;
const CHUNKS = 100;
const PLAIN_BYTES = CHUNKS * PER_CHUNK * SEGMENT_PLAIN_BYTES;
const GCM_OVERHEAD = 16;

export function encryptionRows({ block }: Stage): Record<string, () => Promise<Row>> {
  const plain = new Uint8Array(block.subarray(0, PER_CHUNK * SEGMENT_PLAIN_BYTES));
  const amount = PLAIN_BYTES / 1e6;
  const compare = (own: (segment: number) => Promise<unknown>, bare: () => Promise<unknown>): Row => ({
    unit: 'MB/s',
    amount,
    contenders: [working('sendwell', own), working('AES-GCM', bare)],
    goals: [cpuAtMost(2)],
  });
  const place = (firstSegment: number) => ({ fileId, plainBytes: PLAIN_BYTES, firstSegment });
  const fileId = createFileId();
  const target = new Uint8Array(CHUNK_BYTES);
  return {
    [`seal ${CHUNKS * PER_CHUNK} MiB`]: async () => {
      const { content } = (await createEncryption()).keys;
      const gcm = await createBareKey();
      return compare(
        (segment) => sealSegments(content, place(segment), plain, target),
        () => inSegments(plain, SEGMENT_PLAIN_BYTES, (part) => gcm.encrypt(part)),
      );
    },
    [`open ${CHUNKS * PER_CHUNK} MiB`]: async () => {
      const { content } = (await createEncryption()).keys;
      const sealed = await sealSegments(content, place(0), plain);
      const gcm = await createBareKey();
      const encrypted = await gcm.encrypt(plain.subarray(0, SEGMENT_BYTES - GCM_OVERHEAD));
      return compare(
        () => openSegments(content, place(0), sealed, target),
        () => inSegments(plain, SEGMENT_PLAIN_BYTES, () => gcm.decrypt(encrypted)),
      );
    },
  };
}

function working(name: string, work: (segment: number) => Promise<unknown>): Contender {
  return {
    name,
    pids: [process.pid],
    run: async () => {
      for (let chunk = 0; chunk < CHUNKS; chunk += 1) await work(chunk * PER_CHUNK);
      return undefined;
    },
  };
}

async function inSegments(bytes: Bytes, length: number, work: (part: Bytes) => Promise<unknown>) {
  const parts = Array.from({ length: PER_CHUNK }, (_, index) =>
    bytes.subarray(index * length, (index + 1) * length),
  );
  await Promise.all(parts.map(work));
}

async function createBareKey() {
  const usages = ['encrypt', 'decrypt'] as const;
  const key = await crypto.subtle.importKey('raw', randomBytes(32), 'AES-GCM', false, [...usages]);
  const algorithm = { name: 'AES-GCM', iv: randomBytes(12) };
  return {
    encrypt: async (part: Bytes) => new Uint8Array(await crypto.subtle.encrypt(algorithm, key, part)),
    decrypt: async (part: Bytes) => new Uint8Array(await crypto.subtle.decrypt(algorithm, key, part)),
  };
}
