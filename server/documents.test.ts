import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'node:test';
import { DELIVERY_DAYS } from '../contracts/accounts/webhooks.ts';
import { FATES_KEPT_DAYS } from '../contracts/admin/lookup.ts';
import { ANALYTICS_DAYS } from '../contracts/analytics.ts';
import { RETENTION } from '../contracts/transfers/retention.ts';

const ROOT = join(import.meta.dirname, '..');

const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  ...globSync('docs/**/*.md', { cwd: ROOT }),
].sort();
const GUIDES = DOCUMENTS.filter((path) =>
  /^(ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/architecture\//.test(path),
);

test('every relative link in the documents points to a file, and its anchor to a heading', () => {
  const links = DOCUMENTS.flatMap((document) => linksOf(document).map((link) => ({ document, link })));
  assert.ok(links.length > 100, `found only ${links.length} links`);
  const broken = links.filter(({ document, link }) => isBroken(document, link));
  assert.deepEqual(
    broken.map(({ document, link }) => `${document}: ${link}`),
    [],
  );
});

test('every repository path in backticks in the architecture guides and CONTRIBUTING.md exists', () => {
  const paths = GUIDES.flatMap((document) => pathsOf(document).map((path) => ({ document, path })));
  assert.ok(paths.length > 40, `found only ${paths.length} paths`);
  const missing = paths.filter(({ path }) => globSync(path, { cwd: ROOT }).length === 0);
  assert.deepEqual(
    missing.map(({ document, path }) => `${document}: ${path}`),
    [],
  );
});

/** Except links to other hosts and to pages of a running server. */
function linksOf(document: string): string[] {
  const prose = withoutCodeBlocks(read(document)).replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(<?([^)\s>]+)>?\)/g)]
    .map(([, link]) => link!)
    .filter((link) => !/^([a-z]+:|\/)/.test(link));
}

function isBroken(document: string, link: string): boolean {
  const [path, anchor] = link.split('#') as [string, string | undefined];
  const target = path === '' ? document : relative(ROOT, join(ROOT, dirname(document), path));
  const file = join(ROOT, target);
  if (!existsSync(file)) return true;
  if (anchor === undefined) return false;
  return !target.endsWith('.md') || statSync(file).isDirectory() || !anchorsOf(target).has(anchor);
}

/** As GitHub derives them; repeated ones are numbered. */
function anchorsOf(document: string): Set<string> {
  const counts = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, heading] of withoutCodeBlocks(read(document)).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const anchor = heading!
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  for (const [, id] of read(document).matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id!);
  return anchors;
}

/** Paths that begin with a folder of the repository, or name a file at its root. Wildcards are allowed. */
function pathsOf(document: string): string[] {
  const rooms = globSync('*/', { cwd: ROOT }).map((room) => room.replace(/\/$/, ''));
  return [...withoutCodeBlocks(read(document)).matchAll(/`([\w.*@{},/-]+)`/g)]
    .map(([, path]) => path!)
    .filter((path) =>
      path.includes('/') ? rooms.includes(path.split('/')[0]!) : /^[A-Z]\w+\.md$/.test(path),
    );
}

function withoutCodeBlocks(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```$/gm, '');
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

const CHAPTERS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16];
const SECURITY_DOCUMENT = readFileSync(join(ROOT, 'docs/security.md'), 'utf8');

test('docs/security.md names an existing test for each attack class', () => {
  const rows = SECURITY_DOCUMENT.split('\n').filter((line) => /^\| \d+ \|/.test(line));
  assert.equal(rows.length, 48);
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
  const rows = [...SECURITY_DOCUMENT.matchAll(/^\| (?:V\d+ [^|]+|\*\*Total\*\*) \|(.+)\|$/gm)].map(
    ([, cells]) => cells!.split('|').map((cell) => Number(cell.replaceAll('*', ''))),
  );
  const total = rows.pop()!;
  for (const [all, inapplicable, met, unmet] of [...rows, total])
    assert.equal(all! - inapplicable!, met! + unmet!);
  assert.deepEqual(
    total,
    total.map((_sum, column) => rows.reduce((sum, row) => sum + row[column]!, 0)),
  );
  const [, afterTable] = SECURITY_DOCUMENT.split('**Not applicable** (');
  const [inapplicable, bySetting, unmet] = afterTable!
    .split('## Personal data')[0]!
    .split(/\*\*(?:Met with settings|Not met)\*\*/);
  const settings = bySetting!.split('\n').map((line) => /^\| ([\d., ]+) \|/.exec(line)?.[1] ?? '');
  const countedSettings = settings.join(' ').match(/\d+\.\d+\.\d+/g)!.length;
  assert.match(
    SECURITY_DOCUMENT,
    new RegExp(`\\b${countedSettings} of them are met only with the settings below`),
  );
  const list = unmet!.split('\n').map((line) => /^\| ([\d., ]+) \|/.exec(line)?.[1] ?? '');
  assert.equal(list.join(' ').match(/\d+\.\d+\.\d+/g)!.length, total[3]);
  assert.match(SECURITY_DOCUMENT, new RegExp(`${total[2]} of ${total[0]! - total[1]!} applicable rows`));
  for (const [chapter, row] of rows.entries()) {
    const number = CHAPTERS[chapter]!;
    const counted = list.join(' ').match(new RegExp(`(?<![.\\d])${number}\\.\\d+\\.\\d+`, 'g')) ?? [];
    assert.equal(counted.length, row[3], `V${number}`);
  }
  assert.equal(countNamed(inapplicable!), total[1]);
});

/** Maps each period to the beginning of its row in the retention table. */
const RETENTION_ROWS: Record<keyof typeof RETENTION, string> = {
  sessionDays: 'sessions',
  pendingCookieHours: 'cookie that lets somebody enter the code',
  verificationCodeMinutes: 'email codes',
  unverifiedAccountDays: 'accounts whose address was never verified',
  knownPlaceDays: 'places that somebody signed in from',
  accountEventDays: 'what happened to an account',
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

test('the retention table has the periods that the server uses', () => {
  const table = SECURITY_DOCUMENT.split('\n## Retention')[1]?.split('\n## ')[0] ?? '';
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
