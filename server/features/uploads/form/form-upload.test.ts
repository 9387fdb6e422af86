import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import test from 'node:test';
import { CHUNK_BYTES, MESSAGE_MAX } from '../../../../contracts/plans/limits.ts';
import { getTransfer, listTransfers } from '../../../../contracts/transfers/transfers.ts';
import { toggleInvitation } from '../../../../contracts/transfers/uploads/invitations.ts';
import { KIB, MIB } from '../../../../contracts/values/sizes.ts';
import { until } from '../../../../testing/lib/until.ts';
import { makeBytes, readStored } from '../../../../testing/uploads/upload-files.ts';
import {
  countLeft,
  FORM_TYPE,
  formPath,
  NOTHING_LEFT,
  RawForm,
  sendForm,
  writePart,
} from '../../../../testing/visitors/visitor-form.ts';
import { FOLDER, openVisit, type PathBytes, SMALL } from '../../../../testing/visitors/visitor-uploads.ts';
import { AppError } from '../../../platform/lib/app-error.ts';

async function readProblem(response: Response): Promise<{ status: number; code: string; detail: string }> {
  return (await response.json()) as { status: number; code: string; detail: string };
}

test('POST /api/upload-invitations/{token}/upload: all files of a form arrive as one delivery', async (t) => {
  const { server, prem, invitation, vera } = await openVisit(t);
  const files: PathBytes[] = [...FOLDER, { path: 'Größe\u202e ☃.txt', bytes: makeBytes(CHUNK_BYTES) }];
  const response = await sendForm(vera.client, invitation.token, { files, message: ' Hello ' });
  assert.equal(response.status, 201);
  const names = [...FOLDER.map(({ path }) => path), 'Größe ☃.txt'];
  assert.deepEqual(await response.json(), {
    files: files.map(({ bytes }, index) => ({ name: names[index], size: bytes.length })),
    totalSize: files.reduce((sum, { bytes }) => sum + bytes.length, 0),
  });
  const [listed] = await prem.call(listTransfers);
  const transfer = await prem.call(getTransfer, { params: { id: listed!.id } });
  assert.deepEqual([transfer.message, transfer.title], ['Hello', invitation.title]);
  const rows = await server.context.db.selectFrom('files').selectAll().orderBy('position').execute();
  for (const [index, row] of rows.entries()) {
    assert.equal(row.relativePath, names[index]);
    assert.ok((await readStored(server.context, row)).equals(files[index]!.bytes));
  }
  assert.equal((await countLeft(server)).arriving, 0);
  assert.deepEqual(await vera.list(), []);
});

test('a bracketed field name is accepted too; other fields and their files are ignored', async (t) => {
  const { prem, invitation, vera } = await openVisit(t);
  const bracketed = await sendForm(vera.client, invitation.token, { files: SMALL, field: 'files[]' });
  assert.equal(bracketed.status, 201);
  const form = new RawForm(vera.client, invitation.token);
  await form.write(`${writePart('name="token"')}x${writePart('name="else"; filename="e.bin"')}else`);
  await form.beginFile('a.bin');
  await form.end();
  assert.equal(await form.connection.readStatus(), 201);
  const transfers = await prem.call(listTransfers);
  assert.deepEqual(
    transfers.map(({ fileCount }) => fileCount),
    [1, 1],
  );
});

test('Visitor files: zero files are refused with the specified sentence', async (t) => {
  const { server, invitation, vera } = await openVisit(t);
  const forms = [
    { files: [], message: 'Hello' },
    { files: [{ path: '', bytes: Buffer.alloc(0) }] },
    { files: SMALL, field: 'others' },
  ];
  for (const form of forms) {
    const { status, code, detail } = await readProblem(await sendForm(vera.client, invitation.token, form));
    const sentence = 'Please select at least one file to upload';
    assert.deepEqual([status, code, detail], [400, 'no_files', sentence]);
  }
  assert.deepEqual(await countLeft(server), NOTHING_LEFT);
});

test('Visitor files: each limit has its own error, and files up to it are accepted', async (t) => {
  const limits = { maxFileSize: 2 * KIB, maxTotalSize: 5 * KIB, maxFiles: 3, allowedTypes: ['bin'] };
  const { server, invitation, vera } = await openVisit(t, limits);
  const send = (...sizes: number[]) => {
    const files = sizes.map((size, index) => ({ path: `d/${index}.bin`, bytes: makeBytes(size) }));
    return sendForm(vera.client, invitation.token, { files });
  };
  const cases: [answer: Response, status: number, sentence: string][] = [
    [await send(1, 2 * KIB + 1), 413, '1.bin exceeds the 2 KB limit'],
    [await send(1, 1, 1, 1), 413, 'You can only upload up to 3 files'],
    [await send(2 * KIB, 2 * KIB, KIB + 1), 413, 'Total size cannot exceed 5 KB'],
    [
      await sendForm(vera.client, invitation.token, { files: [{ path: 'a.exe', bytes: makeBytes(1) }] }),
      415,
      'a.exe cannot be uploaded here. Allowed types: bin.',
    ],
  ];
  for (const [answer, status, sentence] of cases) {
    const problem = await readProblem(answer);
    assert.deepEqual([problem.status, problem.detail], [status, sentence]);
  }
  assert.deepEqual(await countLeft(server), NOTHING_LEFT);
  assert.equal((await send(2 * KIB, KIB)).status, 201);
  assert.equal((await readProblem(await send(2 * KIB, 1))).code, 'too_many_invited_files');
  assert.equal((await readProblem(await send(2 * KIB + 1))).code, 'invited_file_too_large');
  assert.equal((await send(2 * KIB)).status, 201);
});

test('a form is refused at the first excess byte, file or name, before the rest arrives', async (t) => {
  const limits = { maxFileSize: 2 * MIB, maxTotalSize: 3 * MIB, maxFiles: 2, allowedTypes: ['bin'] };
  const { server, invitation, vera } = await openVisit(t, limits);
  const begin = async (steps: (form: RawForm) => Promise<void>) => {
    const form = new RawForm(vera.client, invitation.token);
    await steps(form);
    const status = await form.connection.readStatus();
    form.connection.vanish();
    return status;
  };
  const tooLarge = begin(async (form) => {
    await form.beginFile('a.bin');
    await form.write(Buffer.alloc(2 * MIB + 1));
  });
  assert.equal(await tooLarge, 413);
  const tooMuch = begin(async (form) => {
    await form.beginFile('a.bin');
    await form.write(Buffer.alloc(2 * MIB));
    await form.beginFile('b.bin');
    await form.write(Buffer.alloc(MIB + 1));
  });
  assert.equal(await tooMuch, 413);
  const tooMany = begin(async (form) => {
    for (const name of ['a.bin', 'b.bin', 'c.bin']) await form.beginFile(name);
    await form.write('x');
  });
  assert.equal(await tooMany, 413);
  const wrongType = begin(async (form) => {
    await form.beginFile('a.exe');
    await form.write('x');
  });
  assert.equal(await wrongType, 415);
  const nobody = new RawForm(server.anonymous(), invitation.token);
  assert.equal(await nobody.connection.readStatus(), 401);
  nobody.connection.vanish();
  assert.deepEqual(await countLeft(server), NOTHING_LEFT);
});

test('Invitations: concurrent forms never exceed the available room', async (t) => {
  const { server, visit, invitation, vera } = await openVisit(t, {
    totalBytesLimit: 3_500,
    totalFilesLimit: 5,
  });
  const visitors = [vera, await visit('tom@example.net')];
  const files = [{ path: 'x.bin', bytes: makeBytes(1_000) }];
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      sendForm(visitors[index % 2]!.client, invitation.token, { files }),
    ),
  );
  const accepted = answers.filter(({ status }) => status === 201).length;
  assert.ok(accepted <= 3 && answers.every(({ status }) => status === 201 || status === 413));
  // Forms refused because of another form that was then refused itself may be sent again.
  for (let more = accepted; more < 3; more += 1)
    assert.equal((await sendForm(vera.client, invitation.token, { files })).status, 201);
  assert.equal((await sendForm(vera.client, invitation.token, { files })).status, 413);
  assert.equal((await countLeft(server)).bytes, 3_000);
});

test('concurrent forms of one visitor use only that visitor’s room', async (t) => {
  const { visit, invitation, vera } = await openVisit(t, { maxTotalSize: 3_500, maxFiles: 5 });
  const tom = await visit('tom@example.net');
  const send = ({ client }: typeof vera) =>
    sendForm(client, invitation.token, { files: [{ path: 'x.bin', bytes: makeBytes(1_000) }] });
  const answers = await Promise.all(Array.from({ length: 6 }, () => send(vera)));
  for (let more = answers.filter(({ status }) => status === 201).length; more < 3; more += 1)
    assert.equal((await send(vera)).status, 201);
  assert.equal((await readProblem(await send(vera))).code, 'invited_total_exceeded');
  assert.equal((await send(tom)).status, 201);
});

test('a form whose sender disconnects leaves nothing behind and frees its room', async (t) => {
  const { server, invitation, vera } = await openVisit(t, { maxTotalSize: 2 * MIB });
  for (const rudely of [true, false]) {
    const form = new RawForm(vera.client, invitation.token);
    await form.beginFile('a.bin');
    await form.write(Buffer.alloc(2 * MIB));
    await until(async () => countUnlinked(server.context.config.dataDir) === 1);
    assert.equal((await countLeft(server)).arriving, 0, 'files in transit are unlinked');
    form.connection.vanish({ rudely });
    await until(async () => countUnlinked(server.context.config.dataDir) === 0);
    assert.deepEqual(await countLeft(server), NOTHING_LEFT);
  }
  const files = [{ path: 'a.bin', bytes: Buffer.alloc(2 * MIB) }];
  assert.equal((await sendForm(vera.client, invitation.token, { files })).status, 201);
});

test('a sender who disconnects while files are being stored has sent nothing', async (t) => {
  const { server, invitation, vera } = await openVisit(t);
  const { blobs } = server.context;
  const writeChunk = blobs.writeChunk.bind(blobs);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  blobs.writeChunk = async (...args) => {
    reached.resolve();
    await released.promise;
    return writeChunk(...args);
  };
  const form = new RawForm(vera.client, invitation.token);
  await form.beginFile('a.bin');
  await form.write('bytes');
  await form.end();
  await reached.promise;
  form.connection.vanish({ rudely: true });
  await form.connection.closed;
  released.resolve();
  await until(async () => {
    const left = await countLeft(server);
    return JSON.stringify(left) === JSON.stringify(NOTHING_LEFT);
  });
});

test('nothing of a form is kept if the store is full or the message is invalid', async (t) => {
  const { server, invitation, vera } = await openVisit(t);
  const message = 'x'.repeat(MESSAGE_MAX + 1);
  const tooLong = await sendForm(vera.client, invitation.token, { files: SMALL, message });
  assert.equal((await readProblem(tooLong)).code, 'invalid_input');
  let left = 2;
  const { blobs } = server.context;
  const writeChunk = blobs.writeChunk.bind(blobs);
  blobs.writeChunk = async (...args) => {
    left -= 1;
    if (left < 0) throw new AppError('storage_full');
    return writeChunk(...args);
  };
  assert.equal((await sendForm(vera.client, invitation.token, { files: FOLDER })).status, 507);
  assert.deepEqual(await countLeft(server), NOTHING_LEFT);
});

test('an invitation that closes while a form arrives accepts none of it', async (t) => {
  const { server, prem, invitation, vera } = await openVisit(t);
  const form = new RawForm(vera.client, invitation.token);
  await form.beginFile('a.bin');
  await form.write(makeBytes(MIB));
  await until(async () => countUnlinked(server.context.config.dataDir) === 1);
  await prem.call(toggleInvitation, { params: { id: invitation.id }, body: { isActive: false } });
  await form.end();
  assert.equal(await form.connection.readStatus(), 410);
  assert.deepEqual(await countLeft(server), NOTHING_LEFT);
});

test('bodies that are not forms are refused, and nothing of them is kept', async (t) => {
  const { server, invitation, vera } = await openVisit(t);
  const begun = writePart('name="files"; filename="a.bin"').trimStart();
  const cases: [type: string, body: string, status: number][] = [
    ['application/json', '{}', 415],
    ['application/octet-stream', 'x', 415],
    ['multipart/form-data', begun, 400],
    [FORM_TYPE, '', 400],
    [FORM_TYPE, begun, 400],
    [FORM_TYPE, `${begun}half`, 400],
    [FORM_TYPE, begun.slice(0, 40), 400],
    [FORM_TYPE, `${writePart('name="x"').trimStart()}y`.repeat(20), 400],
    [FORM_TYPE, `${writePart('name="files"; filename="a\0b"').trimStart()}x\r\n--form-boundary--\r\n`, 400],
    [FORM_TYPE, `${begun.replace('files', '__proto__')}x\r\n--form-boundary--\r\n`, 400],
  ];
  for (const [type, body, status] of cases) {
    const headers = { 'content-type': type };
    const path = formPath(invitation.token);
    const answer = await vera.client.fetch(path, { method: 'POST', headers, body });
    assert.equal(answer.status, status, `${type} ${body.slice(0, 80)}: ${await answer.text()}`);
  }
  assert.deepEqual(await countLeft(server), NOTHING_LEFT);
});

/** Counts unlinked files in the form folder that this process still has open. */
function countUnlinked(dataDir: string): number {
  const targets = readdirSync('/proc/self/fd').map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(`${dataDir}/incoming/`)).length;
}
