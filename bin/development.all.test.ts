import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { login, register } from '../contracts/accounts/accounts.ts';
import { listTransfers } from '../contracts/transfers/transfers.ts';
import { Client } from '../testing/calls/client.ts';
import { CAST, PASSWORD } from '../testing/cast.ts';
import { until } from '../testing/lib/until.ts';
import { prepareServerProcess } from '../testing/processes/server-process.ts';

const bin = (name: string) => join(import.meta.dirname, name);

test('npm run seed fills an empty database once, and npm run dev serves it with pages and a mailbox', async (t) => {
  const dev = await prepareServerProcess(t, {}, bin('dev.ts'));
  const seed = () => promisify(execFile)(process.execPath, [bin('seed.ts')], { env: dev.environment });

  const { stdout } = await seed();
  assert.match(stdout, /Added 30 transfers/);
  await assert.rejects(seed(), /The database is not empty\. .*npm run seed -- --force/s);

  try {
    await dev.start();
    const frida = new Client(dev.url);
    await frida.call(login, { body: { username: CAST.frida.username, password: PASSWORD } });
    const transfers = await frida.call(listTransfers);
    assert.ok(transfers.length > 0);

    const page = await fetch(dev.url, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<script type="module" src="\/@vite\/client">/);
    assert.equal((await fetch(`${dev.url}/docs/api`)).status, 200);
    const decrypting = await (await fetch(`${dev.url}/e/${'a'.repeat(26)}`)).text();
    const [, script] = /<script src="([^"]+)" integrity=/.exec(decrypting) ?? [];
    assert.match(await (await fetch(`${dev.url}${script}`)).text(), /hashchange/);

    const body = { username: 'nora', email: 'nora@example.com', password: PASSWORD, name: 'Nora New' };
    await new Client(dev.url).call(register, { body });
    const mailbox = async () => (await fetch(`${dev.url}/mailbox`)).text();
    await until(async () => (await mailbox()).includes('nora@example.com'));
    assert.match(await mailbox(), /Code: <strong class="code">\d{6}</);
  } finally {
    // Also ends the server that it started, which SIGKILL would leave running.
    await dev.terminate();
  }
});

test('the mailbox exists in development only', async (t) => {
  const server = await prepareServerProcess(t);
  await server.start();
  const answer = await fetch(`${server.url}/mailbox`, { headers: { accept: 'application/json' } });
  assert.equal(answer.status, 404);
});
