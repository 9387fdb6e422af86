import assert from 'node:assert/strict';
import test from 'node:test';
import { listUploads } from '../contracts/transfers/uploads.ts';
import { MIB } from '../contracts/values/sizes.ts';
import { atChunk, prepare, requireSame } from '../testing/network/cut-line.ts';
import { until } from '../testing/until.ts';

test('an upload survives ten cuts of the line, and the file is the one that was sent', async (t) => {
  const { cli, proxy } = await prepare(t);
  proxy.cutAt = Array.from({ length: 10 }, (_, cut) => (cut + 1) * 6 * MIB);
  const sent = await cli.ask(['send', 'big.bin']);
  assert.equal(sent.code, 0, sent.stderr);
  assert.deepEqual(proxy.cutAt, [], 'the line was cut ten times');
  await requireSame(cli, String(sent.facts.link));
});

test('a server that is killed in the middle is waited for', async (t) => {
  const { cli, proxy, server } = await prepare(t);
  let restarted: Promise<void> | undefined;
  const running = cli.start(['send', 'big.bin', '--json']);
  atChunk(proxy, 5, () => {
    restarted = server.restart();
  });
  const { code, stdout, stderr } = await running.result;
  await restarted;
  assert.equal(code, 0, stderr);
  await requireSame(cli, JSON.parse(stdout).link);
});

test('what was begun can be given up, here and on the server', async (t) => {
  const { cli, proxy, server } = await prepare(t);
  const running = cli.start(['send', 'big.bin']);
  atChunk(proxy, 4, () => running.kill('SIGINT'));
  await running.result;
  assert.equal((await cli.run(['resume', '--discard'])).code, 0);
  assert.deepEqual(await cli.kept(), []);
  const ada = await server.signIn();
  // The server deletes by a job.
  await until(async () => (await ada.call(listUploads)).length === 0);
});
