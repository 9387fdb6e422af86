import assert from 'node:assert/strict';
import { login } from '../../contracts/accounts/accounts.ts';
import { CHUNK_BYTES } from '../../contracts/plans/limits.ts';
import { listChunks } from '../../contracts/transfers/uploads/uploads.ts';
import { Client } from '../calls/client.ts';
import { CAST, PASSWORD } from '../cast.ts';
import { machinePeer, postThrough } from '../processes/peers.ts';
import type { ServerProcess } from '../processes/server-process.ts';
import type { SentTransfer } from '../uploads/send-transfer.ts';
import { announceFile, completeFile, makeBytes } from '../uploads/upload-files.ts';

/** An upload that one server begins and another completes. */
export type HalfSent = { uploadId: string; bytes: Buffer; sent?: SentTransfer };

export async function beginUpload(server: ServerProcess, client: Client): Promise<HalfSent> {
  const bytes = makeBytes(2 * CHUNK_BYTES - 5, 'half sent');
  const { uploadId } = await announceFile(client, 'half.bin', bytes);
  const chunk = { uploadId, index: 0, bytes: bytes.subarray(0, CHUNK_BYTES) };
  assert.equal(await postThrough(machinePeer(server), client, chunk), 200);
  return { uploadId, bytes };
}

export async function finishUpload(half: HalfSent, server: ServerProcess, { jar }: Client): Promise<void> {
  const { uploadId, bytes } = half;
  const client = new Client(server.url, jar);
  assert.deepEqual((await client.call(listChunks, { params: { uploadId } })).chunks, [0]);
  const chunk = { uploadId, index: 1, bytes: bytes.subarray(CHUNK_BYTES) };
  assert.equal(await postThrough(machinePeer(server), client, chunk), 200);
  const { token } = await completeFile(client, uploadId);
  half.sent = { id: '', token, fileIds: [uploadId], files: [{ fileName: 'half.bin', bytes }] };
}

export async function signInAgain(server: ServerProcess): Promise<void> {
  const body = { username: CAST.ada.username, password: PASSWORD };
  await server.anonymous().call(login, { body });
}
