import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { ApiError } from '../../../../client/api-error.ts';
import { DEFAULT_TIER_CONFIG, type EncryptionPolicy } from '../../../../contracts/plans/tiers.ts';
import { verifyDownload, viewDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { getOwnManifest, getTransfer, listTransfers } from '../../../../contracts/transfers/transfers.ts';
import {
  createInvitation,
  deleteInvitation,
  getInvitationDetails,
  listArrivals,
  listInvitations,
  toggleInvitation,
} from '../../../../contracts/transfers/uploads/invitations.ts';
import { initUploads, putSealedKey } from '../../../../contracts/transfers/uploads/uploads.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../contracts/values/durations.ts';
import { mailsTo } from '../../../../testing/calls/mailed-tokens.ts';
import { startTestServer, type TestServer } from '../../../../testing/test-context.ts';
import {
  describeSealed,
  fileIdOf,
  makeAccess,
  makeSealed,
  sendSealedTransfer,
} from '../../../../testing/uploads/sealed-transfers.ts';
import { makeBytes } from '../../../../testing/uploads/upload-files.ts';
import { makeSealedKey, SealedDelivery } from '../../../../testing/visitors/sealed-deliveries.ts';
import { startInvitation, VERA, visitInvitation } from '../../../../testing/visitors/visit.ts';
import { countLeft, NOTHING_LEFT, sendForm } from '../../../../testing/visitors/visitor-form.ts';
import { openVisit, SMALL } from '../../../../testing/visitors/visitor-uploads.ts';

const MUST_BE_ENCRYPTED = { code: 'must_be_encrypted', status: 400 };
const CLOSED = { code: 'invitation_closed', status: 410 };

async function openEncrypted(t: TestContext, settings: Parameters<typeof startInvitation>[1] = {}) {
  const opened = await openVisit(t, { encryption: 'e2e-1', ...settings });
  const { token } = opened.invitation;
  const begin = (options?: ConstructorParameters<typeof SealedDelivery>[2]) =>
    new SealedDelivery(opened.vera.client, token, options);
  return { ...opened, token, begin };
}

async function setPolicy({ context: { db, clock } }: TestServer, encryption: EncryptionPolicy) {
  const { free, pro, premium } = DEFAULT_TIER_CONFIG;
  const config = { free, pro, premium: { ...premium, encryption } };
  const row = { value: JSON.stringify(config), updatedAt: clock.now() };
  await db
    .insertInto('settings')
    .values({ id: 'policy', key: 'tier-config', ...row })
    .onConflict((conflict) => conflict.column('key').doUpdateSet(row))
    .execute();
}

test('the owner gets an encrypted delivery with its sealed key, and no names anywhere', async (t) => {
  const { server, prem, vera, invitation, token, begin } = await openEncrypted(t);
  assert.equal(invitation.encryption, 'e2e-1');
  const details = await vera.client.call(getInvitationDetails, { params: { token } });
  assert.deepEqual(details.encryption, { version: 'e2e-1', invitationId: invitation.id });
  const delivery = begin();
  const id = await delivery.deliver();

  const transfer = await prem.call(getTransfer, { params: { id } });
  const receivedKey = { invitationId: invitation.id, sealedKey: makeSealedKey() };
  assert.deepEqual(transfer.receivedKey, receivedKey);
  assert.deepEqual([transfer.title, transfer.message, transfer.receivedFrom], [null, null, VERA]);
  const { accessKeyHash: _, ...params } = delivery.encryption;
  assert.deepEqual(transfer.encryption, params);
  const [listed] = await prem.call(listTransfers, { query: { origin: 'received' } });
  assert.deepEqual(listed?.receivedKey, receivedKey);
  const [arrival] = await prem.call(listArrivals, { params: { id: invitation.id } });
  assert.deepEqual([arrival?.encryption, arrival?.message], ['e2e-1', null]);
  const manifest = await prem.fetch(getOwnManifest.path.replace(':id', id));
  assert.equal(manifest.headers.get('sendwell-manifest-revision'), '1');

  // Others need the key of the link, as for every encrypted transfer, and never see the sealed one.
  const guest = server.anonymous();
  const locked = await guest.call(viewDownload, { params: { token: transfer.token } });
  assert.equal(locked.unlocked, false);
  const { accessKey } = delivery;
  await guest.call(verifyDownload, { params: { token: transfer.token }, body: { accessKey } });
  const view = await guest.call(viewDownload, { params: { token: transfer.token } });
  assert.ok(!JSON.stringify(view).includes(receivedKey.sealedKey));

  await server.drainJobs();
  // The receipt waits for the checks.
  server.clock.advance(5 * SECOND_MS);
  await server.drainJobs();
  const [received] = await mailsTo(server, 'transfer-received', 'prem@example.org');
  assert.match(received!.text, /end-to-end encrypted\. Open them in a browser that has the key/);
  const [receipt] = await mailsTo(server, 'visitor-receipt', VERA);
  assert.match(receipt!.text, /end-to-end encrypted, so this email cannot name them/);
  for (const { text, html, subject } of [received!, receipt!])
    assert.ok(!`${text} ${html} ${subject}`.includes(delivery.fileName));
});

test('an encrypted invitation accepts nothing readable, whichever way it is sent', async (t) => {
  const { server, vera, token, begin } = await openEncrypted(t);
  await assert.rejects(vera.announce(SMALL), {
    ...MUST_BE_ENCRYPTED,
    message: /accepts only end-to-end encrypted files/,
  });
  const form = await sendForm(vera.client, token, { files: SMALL });
  assert.equal(form.status, 400);
  assert.equal(((await form.json()) as { code: string }).code, 'must_be_encrypted');
  const { encryption } = makeAccess();
  const announce = (files: object[], params: object = encryption) =>
    vera.client.call(initUploads, { body: { invitationToken: token, encryption: params, files } as never });
  const sealed = describeSealed(fileIdOf('a'), makeSealed(9));
  for (const readable of [
    { ...sealed, fileName: 'notes.txt' },
    { ...sealed, relativePath: `secret/${sealed.fileName}` },
    { ...sealed, mimeType: 'text/plain' },
    { ...describeSealed(sealed.fileName, makeBytes(39)) },
  ])
    await assert.rejects(announce([readable]), MUST_BE_ENCRYPTED);
  const kdf = { name: 'pbkdf2-sha-256', iterations: 600_000, salt: encryption.salt };
  await assert.rejects(announce([sealed], { ...encryption, kdf }), { code: 'not_allowed' });
  assert.deepEqual(await countLeft(server), NOTHING_LEFT);

  const delivery = begin();
  await delivery.announce();
  await delivery.send();
  await delivery.putDocument();
  await delivery.putKey();
  await assert.rejects(delivery.complete({ message: 'Readable' }), MUST_BE_ENCRYPTED);
  await delivery.complete();
});

test('a delivery is complete only with manifest and sealed key, which then stays as it is', async (t) => {
  const { prem, vera, token, begin } = await openEncrypted(t);
  const delivery = begin();
  await delivery.announce();
  await delivery.send();
  await assert.rejects(delivery.complete(), { code: 'manifest_missing', status: 409 });
  await delivery.putDocument();
  await assert.rejects(delivery.complete(), { code: 'sealed_key_missing', status: 409 });
  await assert.rejects(prem.call(getTransfer, { params: { id: delivery.transferId } }), { status: 404 });
  const { transferId } = delivery;
  for (const sealedKey of ['', 'A'.repeat(151), makeSealedKey().slice(1), `${makeSealedKey()}A`])
    await assert.rejects(
      vera.client.call(putSealedKey, {
        params: { transferId },
        body: { invitationToken: token, sealedKey },
      }),
      { code: 'invalid_input', status: 400 },
    );
  await delivery.putKey(makeSealedKey('first'));
  await delivery.putKey(makeSealedKey('second'));
  await delivery.complete();
  // Repeating the completion changes nothing, and mails nobody again.
  await delivery.complete();
  await assert.rejects(delivery.putKey(makeSealedKey('third')), { code: 'transfer_not_found' });
  const { receivedKey } = await prem.call(getTransfer, { params: { id: transferId } });
  assert.equal(receivedKey?.sealedKey, makeSealedKey('second'));
});

test('only the visitor stores a sealed key, and only for encrypted deliveries', async (t) => {
  const { server, prem, token, begin } = await openEncrypted(t);
  const delivery = begin();
  await delivery.announce();
  const tom = await visitInvitation(server, token, 'tom@example.net');
  await assert.rejects(delivery.putKey(makeSealedKey(), tom), { code: 'transfer_not_found' });
  const asOwner = { params: { transferId: delivery.transferId }, body: { sealedKey: makeSealedKey() } };
  await assert.rejects(prem.call(putSealedKey, asOwner), { code: 'transfer_not_found' });
  const own = await sendSealedTransfer(prem);
  const ofOwn = { params: { transferId: own.id }, body: { sealedKey: makeSealedKey() } };
  await assert.rejects(prem.call(putSealedKey, ofOwn), { code: 'not_allowed' });
  assert.equal((await prem.call(getTransfer, { params: { id: own.id } })).receivedKey, null);

  const plain = await startInvitation(prem);
  server.clock.advance(MINUTE_MS);
  const visitor = await visitInvitation(server, plain.token);
  await assert.rejects(new SealedDelivery(visitor, plain.token).announce(), { code: 'not_allowed' });
});

test('of parallel keys and completions, exactly one delivery results, with one of the keys', async (t) => {
  const { server, prem, begin } = await openEncrypted(t);
  const delivery = begin();
  await delivery.announce();
  await delivery.send();
  await delivery.putDocument();
  await delivery.putKey(makeSealedKey('0'));
  const keys = Array.from({ length: 8 }, (_, index) => makeSealedKey(String(index)));
  const results = await Promise.allSettled([
    ...keys.map((key) => delivery.putKey(key)),
    ...keys.map(() => delivery.complete()),
  ]);
  const refusals = results.flatMap((result) =>
    result.status === 'rejected' ? (result.reason as ApiError).code : [],
  );
  assert.ok(refusals.every((code) => code === 'transfer_not_found'));
  const { receivedKey } = await prem.call(getTransfer, { params: { id: delivery.transferId } });
  assert.ok(keys.includes(receivedKey!.sealedKey));
  await server.drainJobs();
  assert.equal((await mailsTo(server, 'transfer-received', 'prem@example.org')).length, 1);
});

test('limits count encrypted bytes, per visitor; types are left to the visitor’s client', async (t) => {
  const settings = { maxFiles: 2, maxFileSize: 2_000, allowedTypes: ['pdf'] };
  const { vera, token, begin } = await openEncrypted(t, settings);
  await begin({ seed: 'one' }).deliver();
  await assert.rejects(begin({ seed: 'large', size: 2_000 }).announce(), { code: 'invited_file_too_large' });
  await begin({ seed: 'two' }).announce();
  await assert.rejects(begin({ seed: 'three' }).announce(), { code: 'too_many_invited_files' });
  const { remaining } = await vera.client.call(getInvitationDetails, { params: { token } });
  assert.equal(remaining.files, 0);
});

test('closing, deleting or expiring an encrypted invitation ends running deliveries', async (t) => {
  for (const end of ['close', 'delete', 'expire'] as const) {
    const { server, prem, invitation, begin } = await openEncrypted(t);
    const arrived = await begin({ seed: 'arrived' }).deliver();
    const delivery = begin();
    await delivery.announce();
    await delivery.send();
    await delivery.putDocument();
    const params = { id: invitation.id };
    if (end === 'close') await prem.call(toggleInvitation, { params, body: { isActive: false } });
    else if (end === 'delete') await prem.call(deleteInvitation, { params });
    else
      await server.context.db
        .updateTable('uploadInvitations')
        .set({ expiresAt: server.clock.now() })
        .execute();
    const refusal = end === 'delete' ? { code: 'invitation_not_found' } : CLOSED;
    await assert.rejects(delivery.putKey(), refusal);
    await assert.rejects(delivery.complete(), refusal);
    // What arrived before can still be opened, also without the invitation.
    const { receivedKey } = await prem.call(getTransfer, { params: { id: arrived } });
    assert.equal(receivedKey?.invitationId, invitation.id);
  }
});

test('the plan’s policy decides about encrypted invitations when they are made and when files arrive', async (t) => {
  const { server, prem, invitation, begin } = await openEncrypted(t);
  const before = begin({ seed: 'before' });
  await before.announce();
  await setPolicy(server, 'forbidden');
  const create = (body: object) => prem.call(createInvitation, { body: { title: 'Again', ...body } });
  const forbidden = { code: 'encryption_forbidden', status: 403 };
  await assert.rejects(create({ encryption: 'e2e-1' }), forbidden);
  await assert.rejects(begin().announce(), { ...forbidden, message: /Prem.* can no longer receive/ });
  await create({});
  await setPolicy(server, 'required');
  await assert.rejects(create({}), { code: 'encryption_required', status: 403 });
  await assert.rejects(create({ encryption: null }), { code: 'encryption_required' });
  await create({ encryption: 'e2e-1' });
  await begin().deliver();
  const invitations = await prem.call(listInvitations);
  assert.equal(invitations.find(({ id }) => id === invitation.id)?.arrivals.transfers, 1);
});

test('within the hour a visitor sends more, as a delivery with a key of its own', async (t) => {
  const { server, prem, begin } = await openEncrypted(t);
  const first = await begin({ seed: 'first' }).deliver();
  server.clock.advance(HOUR_MS / 2);
  const second = begin({ seed: 'second' });
  await second.announce();
  await second.send();
  await second.putDocument();
  await assert.rejects(second.complete(), { code: 'sealed_key_missing' });
  await second.putKey(makeSealedKey('second'));
  await second.complete();
  const keys = await Promise.all(
    [first, second.transferId].map(
      async (id) => (await prem.call(getTransfer, { params: { id } })).receivedKey?.sealedKey,
    ),
  );
  assert.deepEqual(keys, [makeSealedKey(), makeSealedKey('second')]);
});

test('the plan that sells invitations is needed for encrypted ones, too', async (t) => {
  const server = await startTestServer(t);
  const paula = await server.signIn('paula');
  const body = { title: 'Pictures', encryption: 'e2e-1' as const };
  await assert.rejects(paula.call(createInvitation, { body }), { code: 'tier_required', status: 402 });
});
