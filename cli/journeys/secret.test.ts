import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import test from 'node:test';
import { listTransfers } from '../../contracts/transfers/transfers.ts';
import { listUploads } from '../../contracts/transfers/uploads/uploads.ts';
import { onlyInAll } from '../../testing/lib/only-in-all.ts';
import { prepareCli } from '../../testing/processes/cli-process.ts';

const TEXT = 'Canary-Wagtail-5162\n\tsecond line 🦊';

test('a secret text is opened once, and the server and the disk have no word of it', async (t) => {
  const cli = await prepareCli(t);
  const sent = await cli.run(['secret', '--days', '2', '--title', 'Wi-Fi'], { input: `${TEXT}\n` });
  assert.equal(sent.code, 0, sent.stderr);
  const link = sent.stdout.trim();
  assert.match(link, /\/e\/[0-9a-z]{26}#1\.[\w-]{43}$/);
  const refused = await cli.run(['receive', link, '--to', 'out']);
  assert.deepEqual([refused.code, /Leave out --to/.test(refused.stderr)], [2, true]);

  const opened = await Promise.all(Array.from({ length: 5 }, () => cli.run(['receive', link])));
  assert.deepEqual(
    opened.filter(({ code }) => code === 0).map(({ stdout }) => stdout),
    [`${TEXT}\n`],
  );
  for (const { code, stderr } of opened.filter((each) => each.code !== 0))
    assert.deepEqual([code, /download limit/i.test(stderr)], [4, true], stderr);
  assert.deepEqual(await readdir(cli.folder), []);
  assert.deepEqual(await cli.listStateFiles(), []);
  const [transfer] = await cli.owner.call(listTransfers);
  assert.deepEqual([transfer?.title, transfer?.downloadCount, transfer?.maxDownloads], [null, 1, 1]);
  assert.deepEqual(await cli.owner.call(listUploads), []);
  assert.equal(cli.server.output.includes('Canary-Wagtail'), false);
});

test(
  'a password and several openings are possible, and texts that cannot be sent are refused',
  onlyInAll,
  async (t) => {
    const cli = await prepareCli(t);
    const sent = await cli.runJson(['secret', '--opens', '2', '--password-stdin'], {
      input: `open sesame\n${TEXT}`,
    });
    const link = String(sent.facts.link);
    const wrong = await cli.run(['receive', link, '--password', 'nonsense']);
    assert.equal(wrong.code, 6, wrong.stderr);
    for (let time = 0; time < 2; time += 1) {
      const { facts } = await cli.runJson(['receive', link, '--password', 'open sesame']);
      assert.equal(facts.text, TEXT);
    }
    assert.equal((await cli.run(['receive', link, '--password', 'open sesame'])).code, 4);
    for (const input of ['', '\n', 'a\0b', 'a'.repeat(10_001)])
      assert.equal((await cli.run(['secret'], { input })).code, 2);
  },
);
