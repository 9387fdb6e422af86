import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { login } from '../contracts/accounts.ts';
import { CAST, PASSWORD } from './testing/cast.ts';
import type { CallError } from './testing/client.ts';
import { useFleets } from './testing/fleets.ts';
import { isS3ServerInstalled } from './testing/s3-server.ts';
import { sendTransfer } from './testing/send-transfer.ts';
import { prepareServerProcess, type ServerProcess } from './testing/server-process.ts';
import { startSmtpServer } from './testing/smtp-server.ts';
import { until } from './testing/until.ts';
import { makeBytes } from './testing/upload-files.ts';

const skip = isS3ServerInstalled() ? false : 'OpenStack Swift is missing: run bin/install-test-servers.ts';

describe('several machines on one PostgreSQL and one bucket', { skip }, () => {
  const { openFleet, startMachines } = useFleets();

  test('a job whose machine was killed is done by another, and the mail comes once', async (t) => {
    const fleet = await openFleet();
    // Takes the connection and never says a word.
    const mute = createServer();
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    const smtpUrl = { SMTP_URL: `smtp://127.0.0.1:${port}` };
    const [killed] = (await startMachines(t, fleet, 1, smtpUrl)) as [ServerProcess];
    const connected = once(mute, 'connection');
    const files = [{ fileName: 'mailed.bin', bytes: makeBytes(10) }];
    await sendTransfer(await killed.signIn(), files, { recipientEmails: ['rex@example.org'] });
    await connected;
    await killed.kill();
    mute.close();
    const smtp = await startSmtpServer({ port });
    t.after(() => smtp.stop());
    await startMachines(t, fleet, 1, smtpUrl);
    // A minute passes.
    await fleet.db.updateTable('jobs').set({ leasedUntil: 1 }).where('leaseId', 'is not', null).execute();
    const toRex = () => smtp.mails.filter(({ envelope }) => envelope.to.includes('rex@example.org'));
    await until(async () => toRex().length > 0);
    const isSent = fleet.db.selectFrom('mails').select('id').where('recipient', '=', 'rex@example.org');
    await until(async () => (await isSent.where('state', '=', 'sent').execute()).length === 1);
    assert.equal(toRex().length, 1);
  });

  test('wrong passwords count together, whichever machine is asked', async (t) => {
    const fleet = await openFleet();
    const machines = await startMachines(t, fleet, 2, { RATE_LIMIT: 'on' });
    const guess = async (at: number) => {
      const body = { username: CAST.ada.username, password: `${PASSWORD} not` };
      const answer = machines[at % 2]!.anonymous().call(login, { body });
      return answer.then(
        () => 200,
        (error: CallError) => error.status,
      );
    };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 50) statuses.push(await guess(statuses.length));
    assert.equal(statuses.at(-1), 429);
    assert.equal(await guess(statuses.length), 429, 'the other one refuses as well');
  });

  test('a machine with a secret of its own is refused in one sentence', async (t) => {
    const fleet = await openFleet();
    await startMachines(t, fleet, 1);
    const stranger = await prepareServerProcess(t, { ...fleet.env, SESSION_SECRET: '' });
    stranger.launch();
    const { code, output } = await stranger.waitForExit();
    assert.equal(code, 1);
    assert.match(output, /^This database was used with another secret[^\n]+SESSION_SECRET[^\n]+\n$/);
  });
});
