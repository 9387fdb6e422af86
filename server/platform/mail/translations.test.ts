import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { LANGUAGE_CODES } from '../../../contracts/values/language/languages.ts';
import { composeSampleMail } from '../../../testing/calls/sample-mails.ts';
import { migrateToLatest } from '../db/migrate.ts';
import { type Db, openDatabase } from '../db/open.ts';
import { MAIL_KINDS } from './kinds.ts';
import { wordingIn } from './wording.ts';

const TRANSLATED = LANGUAGE_CODES.filter((language) => language !== 'en');

let folder: string;
let db: Db;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sendwell-translations-'));
  db = await openDatabase({ file: join(folder, 'mails.db') });
  await migrateToLatest(db);
});
after(async () => {
  await db.destroy();
  await rm(folder, { recursive: true });
});

/** Codes, addresses, names and what senders wrote. */
const SAME_IN_ALL = [
  /^$|^-- $|^Sendwell$|^> |^\d{6}$|^https?:|^- \S+@|^ {2}SHA-256 [\da-f]+$/,
  /^Studio pictures, final set$/,
  /^Downloads: \d+$/,
  // The samples of a new device, a key and a webhook: a word before the colon may be the same, too.
  /: (Firefox on Windows|Lisbon, Portugal|198\.51\.100\.7|Password|iCloud Keychain|Nightly backup|swk_\S+|hooks\.\S+|Archive)$/,
];

for (const kind of MAIL_KINDS) {
  test(`the mail "${kind}" is in the language of its reader`, async () => {
    const english = await composeSampleMail(db, kind);
    assert.equal(english.language, 'en');
    const englishLines = new Set([english.subject, ...english.text.split('\n')]);
    for (const language of TRANSLATED) {
      const mail = await composeSampleMail(db, kind, { language });
      assert.equal(mail.language, language);
      assert.ok(mail.html.startsWith(`<!doctype html>\n<html lang="${language}" dir="ltr">`));
      const lines = [mail.subject, ...mail.text.split('\n')];
      const leftOver = lines.filter(
        (line) => englishLines.has(line) && !SAME_IN_ALL.some((pattern) => pattern.test(line)),
      );
      assert.deepEqual(leftOver, [], language);
      assert.doesNotMatch(mail.subject + mail.text + mail.html.replace(/<style>.*<\/style>/s, ''), /\{\w/);
    }
  });
}

test('numbers, sizes, dates and plurals follow the language', () => {
  const german = wordingIn('de');
  assert.equal(german.describeFiles({ fileCount: 1, totalBytes: 1536 }), '1 Datei (1,5 KB)');
  assert.equal(german.describeFiles({ fileCount: 5, totalBytes: 1536 }), '5 Dateien (1,5 KB)');
  assert.equal(german.describeMore(1200), 'und 1.200 weitere');
  assert.equal(german.formatCents(123450).replaceAll('\u00a0', ' '), '1.234,50 $');
  assert.equal(german.formatInstant(Date.UTC(2026, 4, 12, 9, 30)), '12. Mai 2026 um 09:30 UTC');
  assert.equal(wordingIn('pt').formatDate(Date.UTC(2026, 4, 12)), '12 de maio de 2026');
  assert.equal(wordingIn(null).language, 'en');
});
