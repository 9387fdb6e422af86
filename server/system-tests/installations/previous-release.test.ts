import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { announceAccepted } from '../../../client/upload-plan.ts';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import { initUploads } from '../../../contracts/transfers/uploads/uploads.ts';
import { fileDownloadPath, zipDownloadPath } from '../../../contracts/values/addresses/links.ts';
import { Client } from '../../../testing/calls/client.ts';
import { onlyInAll } from '../../../testing/lib/only-in-all.ts';
import { beginUpload, finishUpload, signInAgain } from '../../../testing/network/half-sent.ts';
import {
  hasPreviousRelease,
  type PreviousRelease,
  unpackPreviousRelease,
} from '../../../testing/processes/previous-release.ts';
import { prepareServerProcess } from '../../../testing/processes/server-process.ts';
import { requireWhole, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { describeFile, makeBytes } from '../../../testing/uploads/upload-files.ts';

const skip = (await hasPreviousRelease())
  ? false
  : 'this clone does not have the commit of the previous release';

describe('the previous release', { skip }, () => {
  let previous: PreviousRelease;
  before(async () => {
    previous = await unpackPreviousRelease();
  });
  after(() => previous?.remove());

  test('can exchange its DATA_DIR with this release in both directions without losing acknowledged data', async (t) => {
    const old = await prepareServerProcess(t, {}, previous.main);
    await old.start();
    const ada = await old.signIn();
    const files = [
      { fileName: 'large.bin', bytes: makeBytes(CHUNK_BYTES + 1) },
      { fileName: 'small.bin', bytes: makeBytes(1_000) },
    ];
    const sent = await sendTransfer(ada, files, { maxDownloads: 9 });
    const half = await beginUpload(old, ada);
    await old.kill();

    const current = await prepareServerProcess(t, { DATA_DIR: old.dataDir });
    await current.start();
    await requireWhole(current.anonymous(), sent);
    await finishUpload(half, current, ada);
    await signInAgain(current);
    const later = await sendTransfer(new Client(current.url, ada.jar), files);
    await current.kill();

    await old.start();
    for (const each of [sent, half.sent!, later]) await requireWhole(old.anonymous(), each);
  });

  test(
    'has begun downloads that go on after the update, and only with the same bytes',
    onlyInAll,
    async (t) => {
      const old = await prepareServerProcess(t, {}, previous.main);
      const files = ['a.bin', 'b.bin'].map((fileName) => ({ fileName, bytes: makeBytes(400_000, fileName) }));
      await old.start();
      const ada = await old.signIn();
      const sent = await sendTransfer(ada, files);
      // Pages and commands of this release also call the previous one, which refuses times.
      const described = {
        ...describeFile('a.bin', files[0]!.bytes),
        modifiedAt: '1994-03-05T06:07:09Z',
        mode: 0o755,
      };
      await announceAccepted([described], (accepted) => ada.call(initUploads, { body: { files: accepted } }));
      const zip = zipDownloadPath(sent.token);
      const file = fileDownloadPath(sent.token, sent.fileIds[0]!);
      const begun = await Promise.all(
        [zip, file].map((path) => fetchPart(old.anonymous(), path, 'bytes=0-99999')),
      );
      await old.kill();

      const current = await prepareServerProcess(t, { DATA_DIR: old.dataDir });
      await current.start();
      for (const [index, path] of [zip, file].entries()) {
        const rest = await fetchPart(current.anonymous(), path, 'bytes=100000-', begun[index]!.etag);
        assert.equal(rest.status, 206);
        const whole = await fetchPart(current.anonymous(), path);
        assert.ok(Buffer.concat([begun[index]!.bytes, rest.bytes]).equals(whole.bytes), path);
      }
      await signInAgain(current);
      const timed = files.map((each) => ({ ...each, modifiedAt: '1994-03-05T06:07:09Z' }));
      const later = zipDownloadPath((await sendTransfer(new Client(current.url, ada.jar), timed)).token);
      const withTimes = await fetchPart(current.anonymous(), later);
      await current.kill();

      // The previous release writes a zip without these times, and so another tag.
      await old.start();
      const without = await fetchPart(old.anonymous(), later);
      assert.notEqual(without.bytes.length, withTimes.bytes.length);
      const otherWay = await fetchPart(old.anonymous(), later, 'bytes=100000-', withTimes.etag);
      assert.deepEqual([otherWay.status, otherWay.bytes.equals(without.bytes)], [200, true]);
      await old.kill();
      await current.start();
      const answer = await fetchPart(current.anonymous(), later, 'bytes=100000-', without.etag);
      assert.deepEqual([answer.status, answer.bytes.equals(withTimes.bytes)], [200, true]);
    },
  );
});

async function fetchPart(client: Client, path: string, range?: string, etag?: string) {
  const headers = { ...(range && { range }), ...(etag && { 'if-range': etag }) };
  const response = await client.fetch(path, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  return { status: response.status, etag: response.headers.get('etag')!, bytes };
}
