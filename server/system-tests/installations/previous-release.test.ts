import { after, before, describe, test } from 'node:test';
import { CHUNK_BYTES } from '../../../contracts/plans/limits.ts';
import { Client } from '../../../testing/calls/client.ts';
import { beginUpload, finishUpload, signInAgain } from '../../../testing/network/half-sent.ts';
import {
  hasPreviousRelease,
  type PreviousRelease,
  unpackPreviousRelease,
} from '../../../testing/processes/previous-release.ts';
import { prepareServerProcess } from '../../../testing/processes/server-process.ts';
import { requireWhole, sendTransfer } from '../../../testing/uploads/send-transfer.ts';
import { makeBytes } from '../../../testing/uploads/upload-files.ts';

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
});
