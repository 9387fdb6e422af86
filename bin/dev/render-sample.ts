/** Prints one sample mail as JSON. Usage: node bin/dev/render-sample.ts KIND LANGUAGE */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageCode } from '../../contracts/values/language/languages.ts';
import { migrateToLatest } from '../../server/platform/db/migrate.ts';
import { openDatabase } from '../../server/platform/db/open.ts';
import type { MailKind } from '../../server/platform/mail/kinds.ts';
import { composeSampleMail } from '../../testing/calls/sample-mails.ts';

const [, , kind, language] = process.argv;
const folder = await mkdtemp(join(tmpdir(), 'sendwell-sample-'));
const db = await openDatabase({ file: join(folder, 'sample.db') });
try {
  await migrateToLatest(db);
  const { subject, html, text } = await composeSampleMail(db, kind as MailKind, {
    language: language as LanguageCode,
  });
  process.stdout.write(JSON.stringify({ subject, html, text }));
} finally {
  await db.destroy();
  await rm(folder, { recursive: true });
}
