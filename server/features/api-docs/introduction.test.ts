import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { listTransfers } from '../../../contracts/transfers/transfers.ts';
import { createApiKey } from '../../../testing/calls/api-keys.ts';
import { startTestServer } from '../../../testing/test-context.ts';
import { readIntroduction } from './document.ts';

const run = promisify(execFile);

test('the introduction’s shell samples run in order with an API key', async (t) => {
  const server = await startTestServer(t);
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-samples-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'report.pdf'), '%PDF-1.7 a report');
  await writeFile(join(folder, 'hello.txt'), 'Hello, world!');
  const { key } = await createApiKey(server.context, server.userId('prem'));
  const samples = samplesOf(readIntroduction(server.url), 'sh');
  assert.ok(samples.length >= 7);
  const outputs: string[] = [];
  for (const sample of samples) {
    const { stdout } = await run('sh', ['-euc', sample], {
      cwd: folder,
      env: { PATH: process.env.PATH, SENDWELL_KEY: key },
    });
    assert.doesNotMatch(stdout, /urn:sendwell:error/, sample);
    outputs.push(stdout);
  }
  const [account, link, links, token, , page, upload] = outputs;
  assert.equal(JSON.parse(account!).username, 'prem');
  assert.match(link!, /^http\S+\/download\/[0-9a-z]{26}\n$/);
  assert.match(links!, /^(?:http\S+\/download\/[0-9a-z]{26}\n){2}$/);
  assert.match(token!, /\n?[0-9a-z]{26}\n$/);
  assert.match(page!, /^link: .*rel="next"/im);
  assert.ok(JSON.parse(upload!).uploadId);
  assert.equal((await readFile(join(folder, 'all.zip'))).readUInt32LE(0), 0x04034b50);
  const sent = await (await server.signIn('prem')).call(listTransfers);
  assert.deepEqual(
    sent.map(({ fileCount }) => fileCount),
    [1, 1, 1, 1],
  );
});

test('the webhook sample verifies signatures', () => {
  const [sample] = samplesOf(readIntroduction('https://files.example.org'), 'js');
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = JSON.stringify({ type: 'transfer.ready' });
  const id = 'msg_1';
  const now = new Date();
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, now, body),
  };
  const source = sample!.replace(/^import .*$/m, '');
  const verify = new Function('Webhook', 'process', 'headers', 'body', `${source}\nreturn event;`);
  const environment = { env: { SENDWELL_WEBHOOK_SECRET: secret } };
  assert.deepEqual(verify(Webhook, environment, headers, body), { type: 'transfer.ready' });
});

function samplesOf(markdown: string, language: string): string[] {
  const blocks = markdown.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'));
  return [...blocks].map(([, source]) => source!);
}
