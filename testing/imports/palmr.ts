import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { hashSync } from 'bcryptjs';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { makeBytes } from '../uploads/upload-files.ts';
import { createDatabase, type ImportFixture, insert, makeFolder, sumBytes, writeStored } from './fixture.ts';

/** The tables of release 3.2 that matter here, as its Prisma schema defines them. */
const DDL = `
create table "users" ("id" text not null primary key, "firstName" text not null, "lastName" text not null,
  "username" text not null, "email" text not null, "password" text, "image" text, "isAdmin" boolean not null default false,
  "isActive" boolean not null default true, "createdAt" datetime not null default current_timestamp,
  "updatedAt" datetime not null, "twoFactorEnabled" boolean not null default false, "twoFactorSecret" text,
  "twoFactorBackupCodes" text, "twoFactorVerified" boolean not null default false);
create table "files" ("id" text not null primary key, "name" text not null, "description" text,
  "extension" text not null, "size" bigint not null, "objectName" text not null, "userId" text not null, "folderId" text,
  "createdAt" datetime not null default current_timestamp, "updatedAt" datetime not null);
create index "files_folderId_idx" on "files"("folderId");
create table "folders" ("id" text not null primary key, "name" text not null, "description" text,
  "objectName" text not null, "parentId" text, "userId" text not null,
  "createdAt" datetime not null default current_timestamp, "updatedAt" datetime not null);
create table "shares" ("id" text not null primary key, "name" text, "views" integer not null default 0,
  "expiration" datetime, "description" text, "createdAt" datetime not null default current_timestamp,
  "updatedAt" datetime not null, "creatorId" text, "securityId" text not null);
create table "share_security" ("id" text not null primary key, "password" text, "maxViews" integer,
  "createdAt" datetime not null default current_timestamp, "updatedAt" datetime not null);
create table "share_recipients" ("id" text not null primary key, "email" text not null,
  "createdAt" datetime not null default current_timestamp, "updatedAt" datetime not null, "shareId" text not null);
create table "share_aliases" ("id" text not null primary key, "alias" text not null, "shareId" text not null,
  "createdAt" datetime not null default current_timestamp, "updatedAt" datetime not null);
create table "app_configs" ("id" text not null primary key, "key" text not null, "value" text not null,
  "type" text not null, "group" text not null);
create table "reverse_shares" ("id" text not null primary key, "name" text, "creatorId" text not null);
create table "_ShareFiles" ("A" text not null, "B" text not null);
create unique index "_ShareFiles_AB_unique" on "_ShareFiles"("A", "B");
create index "_ShareFiles_B_index" on "_ShareFiles"("B");
create table "_ShareFolders" ("A" text not null, "B" text not null);
create index "_ShareFolders_B_index" on "_ShareFolders"("B");
`;

/** `now`: of the server, in epoch milliseconds. */
export async function makePalmr(t: TestContext, now: number): Promise<ImportFixture> {
  const folder = await makeFolder(t);
  await writeStored(join(folder, 'prisma/.keep'), Buffer.alloc(0));
  const database = createDatabase(join(folder, 'prisma/palmr.db'), DDL);
  const [createdAt, updatedAt] = [now - 20 * DAY_MS, now];
  const times = { createdAt, updatedAt };
  insert(database, 'app_configs', [
    { id: 'c1', key: 'jwtSecret', value: 'a secret', type: 'string', group: 'security' },
  ]);
  const user = (id: string, firstName: string, password: string, more: Record<string, number> = {}) => ({
    id,
    firstName,
    lastName: 'Example',
    username: firstName.toLowerCase(),
    email: `${firstName.toLowerCase()}@example.net`,
    password: hashSync(password, 5),
    ...times,
    ...more,
  });
  insert(database, 'users', [
    user('u-dana', 'Dana', 'pässword of dana'),
    user('u-eve', 'Eve', 'eve is away', { isActive: 0, isAdmin: 1 }),
    user('u-finn', 'Finn', 'finn the admin', { isAdmin: 1 }),
  ]);
  insert(database, 'folders', [
    { id: 'd1', name: 'Reports', objectName: 'd1', parentId: null, userId: 'u-dana', ...times },
    { id: 'd2', name: '2026 Q3', objectName: 'd2', parentId: 'd1', userId: 'u-dana', ...times },
  ]);
  const files: [id: string, name: string, folderId: string | null, bytes: Buffer][] = [
    ['f1', 'summary.pdf', null, makeBytes(5_300_000, 'summary')],
    ['f2', 'Übersicht.csv', 'd1', Buffer.from('a;b\n')],
    ['f3', 'details.csv', 'd2', Buffer.from('c;d\n')],
    ['f4', 'sealed.bin', null, Buffer.from('longer on the disk than in the table')],
    ['f5', 'unshared.txt', null, Buffer.from('nobody sees it')],
  ];
  for (const [id, name, folderId, bytes] of files) {
    const objectName = `u-dana/${id}-ümläut.bin`;
    const size = id === 'f4' ? 4 : bytes.length;
    insert(database, 'files', [
      { id, name, extension: 'x', size, objectName, userId: 'u-dana', folderId, ...times },
    ]);
    await writeStored(join(folder, 'uploads/u-dana', `${id}-_ml_ut.bin`), bytes);
  }
  const share = (id: string, creatorId: string, more: Record<string, string | number | null> = {}) => ({
    id,
    creatorId,
    securityId: `p-${id}`,
    ...times,
    ...more,
  });
  insert(database, 'shares', [
    share('s1', 'u-dana', { name: 'Q3 report', description: 'All numbers', views: 3 }),
    share('s2', 'u-eve', { expiration: now + 5 * DAY_MS }),
    share('s3', 'u-dana', { expiration: now - 5 * DAY_MS }),
    share('s4', 'u-finn', { name: 'Sealed' }),
  ]);
  insert(
    database,
    'share_security',
    ['s1', 's2', 's3', 's4'].map((id) => ({
      id: `p-${id}`,
      password: id === 's1' ? hashSync('three ducks', 5) : null,
      maxViews: id === 's1' ? 20 : null,
      ...times,
    })),
  );
  insert(database, 'share_aliases', [
    { id: 'a1', alias: 'q3-report', shareId: 's1', ...times },
    { id: 'a2', alias: 'from eve', shareId: 's2', ...times },
    { id: 'a3', alias: 'past', shareId: 's3', ...times },
    { id: 'a4', alias: 'sealed', shareId: 's4', ...times },
  ]);
  insert(database, 'share_recipients', [{ id: 'r1', email: 'rex@example.org', shareId: 's1', ...times }]);
  insert(database, '_ShareFiles', [
    { A: 'f1', B: 's1' },
    { A: 'f1', B: 's2' },
    { A: 'f1', B: 's3' },
    // Also in a folder of the share, as is d2.
    { A: 'f2', B: 's1' },
    { A: 'f4', B: 's4' },
  ]);
  insert(database, '_ShareFolders', [
    { A: 'd1', B: 's1' },
    { A: 'd2', B: 's1' },
  ]);
  database.close();
  const summary = files[0]![3];
  const links: ImportFixture['links'] = [
    {
      path: '/s/q3-report',
      title: 'Q3 report',
      password: 'three ducks',
      files: {
        'summary.pdf': summary,
        'Reports/Übersicht.csv': files[1]![3],
        'Reports/2026 Q3/details.csv': files[2]![3],
      },
      recipients: ['rex@example.org'],
      downloads: { count: 3, max: 20 },
    },
    { path: '/s/from%20eve', title: null, files: { 'summary.pdf': summary } },
  ];
  return {
    folder,
    counts: {
      users: {
        found: 3,
        created: 3,
        joined: 0,
        alreadyImported: 0,
        skipped: 0,
        inactive: 1,
        administrators: 0,
      },
      shares: { found: 4, imported: 2, alreadyImported: 0, expired: 1, skipped: 1 },
      files: { found: 5, imported: 4, skipped: 1 },
      bytes: sumBytes(links),
    },
    people: [
      { login: 'dana', password: 'pässword of dana' },
      { login: 'finn@example.net', password: 'finn the admin' },
    ],
    links,
    deadLinks: ['/s/past', '/s/sealed', '/share/s1'],
  };
}
