import assert from 'node:assert/strict';
import { openSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { verifyDownload, viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import { getTransfer } from '../../contracts/transfers/transfers.ts';
import { completeUploads, initUploads, putSealedKey } from '../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../contracts/values/addresses/links.ts';
import { MIB } from '../../contracts/values/sizes.ts';
import { formatInboxKey } from '../../encryption/inbox-link.ts';
import { createEncryption, deriveKeys } from '../../encryption/keys.ts';
import { formatKey } from '../../encryption/link.ts';
import { openManifest, sealManifest } from '../../encryption/manifest.ts';
import { sealPictures } from '../../encryption/pictures.ts';
import { createInboxKey, openLinkSecret, sealLinkSecret } from '../../encryption/requests.ts';
import { createFileId, openSegments, sealSegments } from '../../encryption/segments.ts';
import type { Client } from '../../testing/calls/client.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { until } from '../../testing/lib/until.ts';
import { runCli } from '../../testing/processes/run-cli.ts';
import { prepareServerProcess, type ServerProcess } from '../../testing/processes/server-process.ts';
import { filesAreOnDisk } from '../../testing/storage/test-storage.ts';
import { describeSealed, putSealed } from '../../testing/uploads/sealed-transfers.ts';
import { makeBytes, sendChunks } from '../../testing/uploads/upload-files.ts';
import { startInvitation, visitInvitation } from '../../testing/visitors/visit.ts';
import { readMails } from '../../testing/visitors/visitor-deliveries.ts';
import { startReceiver } from '../../testing/webhooks/webhook-receiver.ts';
import { subscribe, WITH_LOOPBACK } from '../../testing/webhooks/webhooks.ts';

const skip = !filesAreOnDisk && 'needs files on the disk';

const WORDS = {
  content: 'quetzalcontent',
  name: 'ocelotfilename',
  folder: 'tapirfolder',
  title: 'axolotltitle',
  message: 'jaguarmessage',
  picture: 'coatipicture',
};

test('the words of an encrypted transfer are nowhere on the server', { skip, ...onlyInAll }, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-canary-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const logPath = join(folder, 'server.log');
  const server = await prepareServerProcess(t, { LOG_LEVEL: 'debug', ACCESS_LOG: 'on', ...WITH_LOOPBACK });
  server.stdout = openSync(logPath, 'a');
  await server.start();
  const ada = await server.signIn();
  const hooks = await startReceiver(t);
  await subscribe(ada, hooks.url);
  const sent = await sendEncrypted(ada, { password: WORDS.message });
  await openWholeLink(server.anonymous(), sent);
  const { received, secrets } = await sendThroughRequest(server, ada);
  await openWholeLink(server.anonymous(), received);
  await until(async () => hooks.received.some(({ body }) => body.includes('invitation.received')));
  // The receipt of the visitor.
  await until(async () => readMails(server).some(({ kind }) => kind === 'visitor-receipt'));
  const backup = join(folder, 'backup');
  const run = await runCli(server.environment, 'backup', backup);
  assert.equal(run.code, 0, run.stderr);
  await server.terminate();

  const key = formatKey(sent.linkSecret).slice(2);
  const texts = [...Object.values(WORDS), key, ...secrets];
  const found: string[] = [];
  for (const path of [...listFiles(server.dataDir), ...listFiles(backup), logPath])
    for (const hit of findTexts(readFileSync(path), texts)) found.push(`${hit} in ${path}`);
  for (const { body } of hooks.received)
    for (const hit of findTexts(Buffer.from(body), texts)) found.push(`${hit} in a webhook`);
  assert.deepEqual(found, []);
  // The search finds what is there.
  const known = findTexts(readFileSync(join(server.dataDir, 'sendwell.db')), [sent.fileId]);
  assert.deepEqual(known, [sent.fileId]);
  assert.ok(hooks.received.some(({ body }) => body.includes('transfer.ready')));
  assert.match(readFileSync(logPath, 'utf8'), /"route":"\/e\/\*"|"route":"unknown"/);
});

/** In plain text, hex and base64, whatever comes before. */
function findTexts(bytes: Buffer, texts: string[]): string[] {
  return texts.filter((text) => {
    const shifted = [0, 1, 2].map((shift) =>
      Buffer.from(' '.repeat(shift) + text)
        .toString('base64')
        .slice(shift === 0 ? 0 : 4)
        .replace(/.{4}$/, ''),
    );
    const hex = Buffer.from(text).toString('hex');
    return [text, Buffer.from(text, 'utf16le'), hex, ...shifted].some((form) => bytes.includes(form));
  });
}

function listFiles(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

type Sent = Awaited<ReturnType<typeof sendEncrypted>>;

type Sending = {
  password?: string;
  /** Of a visitor, with the public key in the link. */
  invitationToken?: string;
  seal?: (transferId: string, linkSecret: Uint8Array<ArrayBuffer>) => Promise<string>;
};

async function sendEncrypted(client: Client, { password, invitationToken, seal }: Sending) {
  const query = { ...(invitationToken !== undefined && { invitationToken }) };
  const { linkSecret, params, accessKeyHash, keys } = await createEncryption(password ? { password } : {});
  const plain = Buffer.concat([
    makeBytes(2 * MIB),
    Buffer.from(WORDS.content.repeat(1_000)),
    makeBytes(4 * MIB),
  ]);
  const fileId = createFileId();
  const place = { fileId, plainBytes: plain.length, firstSegment: 0 };
  const sealed = Buffer.from(await sealSegments(keys.content, place, new Uint8Array(plain)));
  const { transferId, uploads } = await client.call(initUploads, {
    body: { ...query, encryption: { ...params, accessKeyHash }, files: [describeSealed(fileId, sealed)] },
  });
  const { uploadId } = uploads[0]!;
  await sendChunks(client, uploadId, sealed, query);
  const file = {
    fileId,
    path: `${WORDS.folder}/${WORDS.name}.txt`,
    size: plain.length,
    modifiedAt: null,
    mimeType: 'text/plain',
    crc32: null,
    sha256: null,
  };
  const manifest = { version: 1 as const, title: WORDS.title, message: WORDS.message, files: [file] };
  const bytes = Buffer.from(await sealManifest(keys.manifest, manifest, 1));
  assert.equal((await putSealed(client, { transferId, revision: 1, bytes, ...query })).status, 204);
  const picture = {
    mimeType: 'image/webp' as const,
    bytes: new Uint8Array(Buffer.from(WORDS.picture.repeat(20))),
  };
  const pictures = Buffer.from(await sealPictures(keys.pictures, new Map([[fileId, picture]]), 1));
  const kind = 'pictures';
  assert.equal(
    (await putSealed(client, { transferId, revision: 1, bytes: pictures, kind, ...query })).status,
    204,
  );
  if (seal) {
    const sealedKey = await seal(transferId, linkSecret);
    await client.call(putSealedKey, { params: { transferId }, body: { ...query, sealedKey } });
  }
  const settings = seal ? query : { recipientEmails: ['rex@example.org'] };
  const body = { transferId, uploadIds: [uploadId], ...settings };
  const { token } = await client.call(completeUploads, { body });
  return { id: transferId, token, uploadId, fileId, plain, linkSecret, manifest, password };
}

/** As a visitor of an encrypted invitation, whose owner then opens the sealed key. */
async function sendThroughRequest(server: ServerProcess, owner: Client) {
  const inbox = await createInboxKey();
  const { id: invitationId, token: invitationToken } = await startInvitation(owner, { encryption: 'e2e-1' });
  const visited = { anonymous: () => server.anonymous(), mails: async () => readMails(server) };
  const visitor = await visitInvitation(visited, invitationToken);
  const fragment = formatInboxKey(inbox);
  await (await visitor.fetch(`/upload/${invitationToken}%23${fragment}`)).arrayBuffer();
  const sent = await sendEncrypted(visitor, {
    invitationToken,
    seal: (transferId, linkSecret) =>
      sealLinkSecret(inbox.publicKey, { invitationId, transferId }, linkSecret),
  });
  const { token, receivedKey } = await owner.call(getTransfer, { params: { id: sent.id } });
  const place = { invitationId, transferId: sent.id };
  const linkSecret = await openLinkSecret(inbox, place, receivedKey!.sealedKey);
  assert.deepEqual(linkSecret, sent.linkSecret);
  const secrets = [formatKey(linkSecret).slice(2), inbox.privateKey];
  return { received: { ...sent, token, linkSecret }, secrets };
}

/** As a recipient whose mail gateway has rewritten `#`. */
async function openWholeLink(guest: Client, sent: Sent) {
  const { token, uploadId, fileId, plain, linkSecret, manifest, password } = sent;
  const key = formatKey(linkSecret);
  for (const path of [`/e/${token}%23${key}`, `/e/${token}?r=x%23${key}`, `/e/${token}%23${key}%`])
    await (await guest.fetch(path)).arrayBuffer();
  const { encryption } = await guest.call(viewDownload, { params: { token } });
  const keys = await deriveKeys({ linkSecret, ...(password && { password }), params: encryption! });
  await guest.call(verifyDownload, { params: { token }, body: { accessKey: keys.accessKey } });
  const sealed = await guest.fetch(`/api/download/${token}/manifest`);
  const opened = await openManifest(keys.manifest, new Uint8Array(await sealed.arrayBuffer()), 1);
  assert.deepEqual(opened, manifest);
  const file = await guest.fetch(fileDownloadPath(token, uploadId));
  const place = { fileId, plainBytes: plain.length, firstSegment: 0 };
  const bytes = await openSegments(keys.content, place, new Uint8Array(await file.arrayBuffer()));
  assert.ok(Buffer.from(bytes).equals(plain));
  await (await guest.fetch(zipDownloadPath(token))).arrayBuffer();
}
