import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { createInboxKey } from '../../encryption/requests.ts';
import { openRequestWithPython, withPython } from '../../testing/encryption/python.ts';
import { Cli } from '../../testing/processes/cli-process.ts';
import { startTestServer } from '../../testing/test-context.ts';
import { sendEncryptedTransfer } from '../../testing/uploads/encrypted-transfers.ts';
import { makeBytes } from '../../testing/uploads/upload-files.ts';
import { startInvitation, visitInvitation } from '../../testing/visitors/visit.ts';

const FILM = makeBytes(2_500_000, 'film');

test(
  'what a visitor sealed for the owner is received by the link that the sealed key contains',
  withPython,
  async (t) => {
    const server = await startTestServer(t);
    const folder = await mkdtemp(join(tmpdir(), 'sendwell-cli-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const prem = await server.signIn('prem');
    const inbox = await createInboxKey();
    const { id: invitationId, token: invitationToken } = await startInvitation(prem, { encryption: 'e2e-1' });
    const visitor = await visitInvitation(server, invitationToken);
    const request = { invitationId, invitationToken, inboxKey: inbox.publicKey };
    const files = [
      { path: 'Reels/film.bin', bytes: FILM },
      { path: 'note.txt', bytes: Buffer.from('hello') },
    ];
    const { id } = await sendEncryptedTransfer(visitor, files, { request });
    await server.drainJobs();

    const keysFile = join(folder, 'keys.json');
    const transferFile = join(folder, 'transfer.json');
    await writeFile(keysFile, JSON.stringify({ inboxes: [{ invitationId, ...inbox }] }));
    await writeFile(transferFile, JSON.stringify(await prem.call(getTransfer, { params: { id } })));
    const link = openRequestWithPython({ keysFile, transferFile, host: server.url });
    const received = await new Cli(folder, {}).run(['receive', link, '--to', 'in']);
    assert.equal(received.code, 0, received.stderr);
    assert.ok((await readFile(join(folder, 'in/Reels/film.bin'))).equals(FILM));
    assert.equal(await readFile(join(folder, 'in/note.txt'), 'utf8'), 'hello');
  },
);
