import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { hashSync } from 'bcryptjs';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { makeBytes } from '../uploads/upload-files.ts';
import { type ImportFixture, makeFolder, sumBytes, writeStored } from './fixture.ts';

type Value = string | number | null;

/** Columns of release r1945 and later that matter here, with their types. */
const TABLES: Record<string, Record<string, string>> = {
  tbl_options: { id: 'int(10)', name: 'varchar(50)', value: 'text' },
  tbl_users: {
    id: 'int(11)',
    user: 'varchar(60)',
    password: 'varchar(255)',
    name: 'text',
    email: 'varchar(60)',
    level: 'tinyint(1)',
    timestamp: 'timestamp',
    active: 'tinyint(1)',
    account_requested: 'tinyint(1)',
    account_denied: 'tinyint(1)',
  },
  tbl_groups: { id: 'int(11)', name: 'varchar(32)', public_token: 'varchar(32)' },
  tbl_members: { id: 'int(11)', client_id: 'int(11)', group_id: 'int(11)' },
  tbl_folders: { id: 'int(11)', parent: 'int(11)', name: 'varchar(32)' },
  tbl_files: {
    id: 'int(11)',
    user_id: 'int(11)',
    url: 'text',
    original_url: 'text',
    filename: 'text',
    description: 'text',
    timestamp: 'timestamp',
    expires: 'int(1)',
    expiry_date: 'timestamp',
    public_allow: 'int(1)',
    public_token: 'varchar(32)',
    folder_id: 'int(11)',
    disk_folder_year: 'int(4)',
    disk_folder_month: 'int(4)',
    size: 'bigint',
    encrypted: 'tinyint(1)',
    storage_type: 'varchar(20)',
    download_limit_enabled: 'tinyint(1)',
    download_limit_type: 'varchar(20)',
    download_limit_count: 'int(11)',
  },
  tbl_files_relations: {
    id: 'int(11)',
    file_id: 'int(11)',
    client_id: 'int(11)',
    group_id: 'int(11)',
    hidden: 'int(1)',
  },
  tbl_downloads: { id: 'int(11)', user_id: 'int(11)', file_id: 'int(11)', anonymous: 'tinyint(1)' },
};

/** `now`: of the server, in epoch milliseconds. */
export async function makeProjectSend(t: TestContext, now: number): Promise<ImportFixture> {
  const folder = await makeFolder(t);
  const [past, future] = [toMysql(now - 40 * DAY_MS), toMysql(now + 40 * DAY_MS)];
  // PHP writes $2y$.
  const hash = (password: string) => hashSync(password, 5).replace('$2b$', '$2y$');
  const user = (id: number, name: string, password: string, more: Record<string, Value> = {}) => ({
    id,
    user: name.toLowerCase(),
    password: hash(password),
    name: `${name} d&#039;Exemple`,
    email: `${name.toLowerCase()}@example.net`,
    level: 0,
    timestamp: past,
    active: 1,
    account_requested: 0,
    account_denied: 0,
    ...more,
  });
  const big = makeBytes(5_250_000, 'big');
  const file = (id: number, name: string, bytes: Buffer | undefined, more: Record<string, Value> = {}) => ({
    id,
    user_id: 1,
    url: `17128493${id}-0123456789abcdef-${name}`,
    original_url: name,
    filename: name,
    description: '',
    timestamp: past,
    expires: 0,
    expiry_date: past,
    public_allow: 1,
    public_token: `token-of-${id}`,
    folder_id: null,
    disk_folder_year: 2026,
    disk_folder_month: 3,
    size: bytes?.length ?? 7,
    encrypted: 0,
    storage_type: 'local',
    download_limit_enabled: 0,
    download_limit_type: 'total',
    download_limit_count: 0,
    ...more,
  });
  const contract = Buffer.from('a contract');
  const files = [
    file(9, 'contract.txt', contract, {
      filename: 'Contrat d&#039;&eacute;t&eacute; &amp; 年度; it\'s "quoted" \\ back',
      description: 'First line<br />\nsecond &lt;b&gt; line',
      folder_id: 2,
      expires: 1,
      expiry_date: future,
    }),
    file(10, 'big.bin', big, { user_id: 2, download_limit_enabled: 1, download_limit_count: 4 }),
    file(11, 'expired.txt', contract, { expires: 1 }),
    file(12, 'missing.txt', undefined),
    file(13, 'encrypted.txt', contract, { encrypted: 1 }),
    file(14, 'far.txt', contract, { storage_type: 's3' }),
    file(15, 'orphan.txt', contract, { user_id: 77 }),
    file(16, 'evil.txt', contract, { url: '../../../etc/passwd' }),
  ];
  const rows: Record<string, Record<string, Value>[]> = {
    tbl_options: [{ id: 1, name: 'uploads_organize_folders_by_date', value: '1' }],
    tbl_users: [
      user(1, 'Root', 'root of projectsend', { level: 9 }),
      user(2, 'Hana', 'hana the client'),
      user(3, 'Ivan', 'ivan was denied', { active: 0, account_denied: 1 }),
      user(4, 'Jane', 'jane has a twin', { email: 'HANA@example.net' }),
    ],
    tbl_groups: [{ id: 5, name: 'Clients', public_token: null }],
    tbl_members: [
      { id: 1, client_id: 2, group_id: 5 },
      { id: 2, client_id: 3, group_id: 5 },
    ],
    tbl_folders: [
      { id: 1, parent: null, name: 'Legal' },
      { id: 2, parent: 1, name: 'Caf&eacute;/Bar' },
    ],
    tbl_files: files,
    tbl_files_relations: [
      { id: 1, file_id: 9, client_id: null, group_id: 5, hidden: 0 },
      { id: 2, file_id: 9, client_id: 2, group_id: null, hidden: 0 },
      { id: 3, file_id: 10, client_id: 3, group_id: null, hidden: 1 },
    ],
    tbl_downloads: [
      { id: 1, user_id: 2, file_id: 10, anonymous: 0 },
      { id: 2, user_id: null, file_id: 10, anonymous: 1 },
      { id: 3, user_id: null, file_id: 9, anonymous: 1 },
    ],
  };
  await writeStored(join(folder, 'backup.sql'), Buffer.from(writeDump(rows)));
  for (const { url, original_url: name } of files)
    if (name !== 'missing.txt' && name !== 'evil.txt')
      await writeStored(join(folder, 'upload/files/2026/03', url), name === 'big.bin' ? big : contract);
  const links: ImportFixture['links'] = [
    {
      path: '/download.php?id=9&token=token-of-9',
      title: 'Contrat d\'été & 年度; it\'s "quoted" \\ back',
      files: { 'Legal/Café_Bar/contract.txt': contract },
      recipients: ['hana@example.net', 'ivan@example.net'],
      downloads: { count: 1, max: null },
    },
    {
      path: '/download.php?token=token-of-10&id=10',
      title: 'big.bin',
      files: { 'big.bin': big },
      downloads: { count: 2, max: 4 },
    },
  ];
  return {
    folder,
    counts: {
      users: {
        found: 4,
        created: 3,
        joined: 0,
        alreadyImported: 0,
        skipped: 1,
        inactive: 1,
        administrators: 0,
      },
      shares: { found: 8, imported: 2, alreadyImported: 0, expired: 1, skipped: 5 },
      files: { found: 4, imported: 2, skipped: 2 },
      bytes: sumBytes(links),
    },
    people: [
      { login: 'root', password: 'root of projectsend' },
      { login: 'hana@example.net', password: 'hana the client' },
    ],
    links,
    deadLinks: [
      '/download.php?id=9&token=wrong',
      '/download.php?id=9',
      '/download.php?id=11&token=token-of-11',
      '/download.php?id=15&token=token-of-15',
    ],
  };
}

/** As mysqldump writes it. */
function writeDump(rows: Record<string, Record<string, Value>[]>): string {
  const parts = [
    '-- MySQL dump 10.19  Distrib 10.11.6-MariaDB\n--\n-- Host: db; Database: projectsend\n',
    "/*!40101 SET NAMES utf8mb4 */;\n/*!40103 SET TIME_ZONE='+00:00' */;\n",
  ];
  for (const [table, columns] of Object.entries(TABLES)) {
    const lines = Object.entries(columns).map(
      ([name, type]) => `  \`${name}\` ${type} DEFAULT NULL COMMENT 'a; b'`,
    );
    parts.push(
      `DROP TABLE IF EXISTS \`${table}\`;\nCREATE TABLE \`${table}\` (\n${lines.join(',\n')},\n  PRIMARY KEY (\`id\`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4;\n`,
      `LOCK TABLES \`${table}\` WRITE;\n/*!40000 ALTER TABLE \`${table}\` DISABLE KEYS */;\n`,
    );
    const values = rows[table]!.map(
      (row) =>
        `(${Object.keys(columns)
          .map((name) => quote(row[name] ?? null))
          .join(',')})`,
    );
    parts.push(`INSERT INTO \`${table}\` VALUES ${values.join(',\n')};\nUNLOCK TABLES;\n`);
  }
  return parts.join('');
}

function quote(value: Value): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  return `'${value.replace(/[\\']/g, '\\$&').replace(/\n/g, '\\n')}'`;
}

function toMysql(instant: number): string {
  return new Date(instant).toISOString().slice(0, 19).replace('T', ' ');
}
