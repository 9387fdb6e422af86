import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { DELIVERY_DAYS } from '../contracts/accounts/webhooks.ts';
import { FATES_KEPT_DAYS } from '../contracts/admin/lookup.ts';
import { ANALYTICS_DAYS } from '../contracts/analytics.ts';
import { RETENTION } from '../contracts/transfers/retention.ts';

const ROOT = join(import.meta.dirname, '..');
/** Of the table, in its order. */
const CHAPTERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16];
const DOCUMENT = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

test('docs/security.md names an existing test for each attack class', () => {
  const rows = DOCUMENT.split('\n').filter((line) => /^\| \d+ \|/.test(line));
  assert.equal(rows.length, 44);
  for (const row of rows) {
    const named = [...row.matchAll(/`([\w./-]+\.test\.tsx?)`: “(.+?)”(?=<br>| \|$)/g)];
    assert.ok(named.length > 0 || row.includes('**not held by a test**'), row);
    for (const [, file, name] of named) {
      const source = readFileSync(join(ROOT, file!), 'utf8').replaceAll("\\'", "'");
      assert.ok(source.includes(name!), `${file} has no test “${name}”`);
    }
  }
});

test('the ASVS table counts the rows that are listed below it', () => {
  const rows = [...DOCUMENT.matchAll(/^\| (?:V\d+ [^|]+|\*\*Total\*\*) \|(.+)\|$/gm)].map(([, cells]) =>
    cells!.split('|').map((cell) => Number(cell.replaceAll('*', ''))),
  );
  const total = rows.pop()!;
  for (const [all, inapplicable, met, unmet] of [...rows, total])
    assert.equal(all! - inapplicable!, met! + unmet!);
  assert.deepEqual(
    total,
    total.map((_sum, column) => rows.reduce((sum, row) => sum + row[column]!, 0)),
  );
  const [, afterTable] = DOCUMENT.split('**Not applicable** (');
  const [inapplicable, bySetting, unmet] = afterTable!
    .split('## Personal data')[0]!
    .split(/\*\*(?:Met with settings|Not met)\*\*/);
  const settings = bySetting!.split('\n').map((line) => /^\| ([\d., ]+) \|/.exec(line)?.[1] ?? '');
  const countedSettings = settings.join(' ').match(/\d+\.\d+\.\d+/g)!.length;
  assert.match(DOCUMENT, new RegExp(`\\b${countedSettings} of them are met only with the settings below`));
  const list = unmet!.split('\n').map((line) => /^\| ([\d., ]+) \|/.exec(line)?.[1] ?? '');
  assert.equal(list.join(' ').match(/\d+\.\d+\.\d+/g)!.length, total[3]);
  assert.match(DOCUMENT, new RegExp(`${total[2]} of ${total[0]! - total[1]!} applicable rows`));
  for (const [chapter, row] of rows.entries()) {
    const number = CHAPTERS[chapter]!;
    const counted = list.join(' ').match(new RegExp(`(?<![.\\d])${number}\\.\\d+\\.\\d+`, 'g')) ?? [];
    assert.equal(counted.length, row[3], `V${number}`);
  }
  assert.equal(countNamed(inapplicable!), total[1]);
});

/** Where the retention table has each number: the beginning of its row. */
const RETENTION_ROWS: Record<keyof typeof RETENTION, string> = {
  sessionDays: 'sessions',
  pendingCookieHours: 'cookie that lets somebody enter the code',
  verificationCodeMinutes: 'email codes',
  unverifiedAccountDays: 'accounts whose address was never verified',
  knownPlaceDays: 'places that somebody signed in from',
  expiredAccountInvitationDays: 'invitations to register',
  unfinishedUploadHours: 'unfinished uploads',
  expiredTransferDays: 'files of a transfer',
  trashDays: 'stored bytes without a row',
  accessLogDays: 'downloads and views',
  mailDays: 'mails',
  failedMailTextDays: 'texts of mails',
  unlockedTransferHours: 'cookie of an unlocked transfer',
  downloadTicketHours: 'cookie of a resumable download',
  visitorCookieHours: 'cookie of a visitor',
  visitDays: 'proofs of visitors',
  paymentEventDays: 'payment events',
  idempotencyHours: 'answers kept for Idempotency-Key',
  rateCounterHours: 'counters of rate limits',
  sidebarCookieDays: 'cookie that remembers whether the sidebar is open',
};
const OTHER_ROWS: [row: string, period: string][] = [
  ['why a transfer or upload ended', `${FATES_KEPT_DAYS} days`],
  ['daily totals', `${ANALYTICS_DAYS.premium} days`],
  ['log of webhook deliveries', `${DELIVERY_DAYS} days`],
];

test('the retention table has the numbers that the server uses', () => {
  const table = DOCUMENT.split('\n## Retention')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| (.+) \| (.+) \|$/gm)].map(([, what, period]) => ({ what, period }));
  const named = Object.entries(RETENTION_ROWS).map(([key, row]): [string, string] => {
    const value = RETENTION[key as keyof typeof RETENTION];
    const unit = /(Day|Hour|Minute)s$/.exec(key)![1]!.toLowerCase();
    return [row, `${value} ${unit}${value === 1 ? '' : 's'}`];
  });
  for (const [row, period] of [...named, ...OTHER_ROWS]) {
    const found = rows.filter(({ what }) => what!.startsWith(row));
    const right = found.filter((each) => new RegExp(`(?<!\\d)${period}\\b`).test(each.period!));
    assert.ok(right.length > 0, `${row}: ${period}`);
  }
});

/** Counts "4.4.1 to 4.4.4" as four rows. */
function countNamed(text: string): number {
  const ranges = [...text.matchAll(/(\d+\.\d+)\.(\d+) to \1\.(\d+)/g)];
  const within = ranges.reduce((sum, [, , first, last]) => sum + Number(last) - Number(first) - 1, 0);
  return text.match(/\d+\.\d+\.\d+/g)!.length + within;
}
