import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Client } from 'pg';
import { startPostgres } from '../../../testing/databases/postgres.ts';
import { prepareServerProcess } from '../../../testing/processes/server-process.ts';

const DOCUMENT = join(import.meta.dirname, '../../../docs/security.md');

async function run(url: string, statements: string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

test('a server works with the database user created in docs/security.md, which has no other rights', async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const [, text = ''] = /```sql\n([\s\S]+?)```/.exec(readFileSync(DOCUMENT, 'utf8')) ?? [];
  // The test's administrator already has the name sendwell.
  const [before = '', after = ''] = text.replaceAll('sendwell', 'files').split('\\connect files\n');
  const statementsOf = (part: string) => part.split(';\n').filter((each) => each.trim() !== '');
  const urlOf = (user: string, database: string) => {
    const url = new URL(postgres.adminUrl);
    return Object.assign(url, { username: user, pathname: `/${database}` }).href;
  };
  await run(postgres.adminUrl, statementsOf(before));
  await run(urlOf('sendwell', 'files'), statementsOf(after));

  const url = urlOf('files', 'files');
  const server = await prepareServerProcess(t, { DATABASE_URL: url });
  await server.start();
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200);
  for (const statement of [
    'CREATE DATABASE other',
    'CREATE ROLE other',
    'CREATE SCHEMA other',
    "COPY (SELECT 1) TO '/tmp/other'",
  ])
    await assert.rejects(run(url, [statement]), { code: '42501' }, statement);
  await assert.rejects(run(urlOf('stranger', 'files'), ['SELECT 1']));
  await server.terminate();
});
