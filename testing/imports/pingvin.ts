import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { DAY_MS } from '../../contracts/values/durations.ts';
import { CAST } from '../cast.ts';
import { makeBytes } from '../uploads/upload-files.ts';
import {
  argon2Hash,
  createDatabase,
  type ImportFixture,
  insert,
  makeFolder,
  sumBytes,
  writeStored,
} from './fixture.ts';

/** The tables of release 1.13, as its Prisma migrations leave them. */
export const PINGVIN_DDL = `
create table "User" ("id" text not null primary key, "createdAt" datetime not null default current_timestamp,
  "updatedAt" datetime not null, "username" text not null, "email" text not null, "password" text,
  "isAdmin" boolean not null default false, "ldapDN" text, "totpEnabled" boolean not null default false,
  "totpVerified" boolean not null default false, "totpSecret" text);
create unique index "User_username_key" on "User"("username");
create unique index "User_email_key" on "User"("email");
create table "Share" ("id" text not null primary key, "createdAt" datetime not null default current_timestamp,
  "name" text, "uploadLocked" boolean not null default false, "views" integer not null default 0,
  "expiration" datetime not null, "description" text, "removedReason" text, "creatorId" text,
  "reverseShareId" text, "storageProvider" text not null default 'LOCAL');
create table "ReverseShare" ("id" text not null primary key, "createdAt" datetime not null default current_timestamp,
  "token" text not null, "shareExpiration" datetime not null, "maxShareSize" text not null,
  "sendEmailNotification" boolean not null, "remainingUses" integer not null,
  "simplified" boolean not null default false, "publicAccess" boolean not null default true, "creatorId" text not null);
create table "ShareRecipient" ("id" text not null primary key, "email" text not null, "shareId" text not null);
create table "File" ("id" text not null primary key, "createdAt" datetime not null default current_timestamp,
  "name" text not null, "size" text not null, "shareId" text not null);
create table "ShareSecurity" ("id" text not null primary key, "createdAt" datetime not null default current_timestamp,
  "password" text, "maxViews" integer, "shareId" text);
create unique index "ShareSecurity_shareId_key" on "ShareSecurity"("shareId");
create table "OAuthUser" ("id" text not null primary key, "provider" text not null, "providerUserId" text not null,
  "providerUsername" text not null, "userId" text not null, "idToken" text);
create table "Config" ("updatedAt" datetime not null, "name" text not null, "category" text not null,
  "type" text not null, "defaultValue" text not null default '', "value" text, "obscured" boolean not null default false,
  "secret" boolean not null default true, "locked" boolean not null default false, "order" integer not null,
  primary key ("name", "category"));
`;

/** `now`: of the server, in epoch milliseconds. */
export async function makePingvin(t: TestContext, now: number): Promise<ImportFixture> {
  const folder = await makeFolder(t);
  const database = createDatabase(join(folder, 'pingvin-share.db'), PINGVIN_DDL);
  const createdAt = now - 30 * DAY_MS;
  insert(database, 'Config', [
    { name: 'jwtSecret', category: 'internal', type: 'string', value: 'a secret', order: 0, updatedAt: now },
  ]);
  const user = (id: string, username: string, email: string, password: string | null, isAdmin = 0) => ({
    id,
    username,
    email,
    isAdmin,
    createdAt,
    updatedAt: createdAt,
    password: password && argon2Hash(password),
  });
  insert(database, 'User', [
    user('u-alice', 'alice', 'alice@example.net', 'alice in chains'),
    user('u-bob', 'bob', 'bob@example.net', 'bob the builder', 1),
    user('u-zoe', 'zoë', 'zoe@example.net', 'größer als sieben'),
    user('u-carla', 'carla', 'carla@example.net', null),
    user('u-frida', 'frida.free', CAST.frida.email, 'another password'),
    user('u-paula', CAST.paula.username, 'other.paula@example.net', 'not the same paula'),
  ]);
  insert(database, 'OAuthUser', [
    { id: 'o1', provider: 'github', providerUserId: '1', providerUsername: 'carla', userId: 'u-carla' },
  ]);
  insert(database, 'ReverseShare', [
    {
      id: 'r1',
      token: 'reverse',
      shareExpiration: now + DAY_MS,
      maxShareSize: '1000',
      sendEmailNotification: 1,
      remainingUses: 1,
      creatorId: 'u-bob',
    },
  ]);
  const share = (
    id: string,
    creatorId: string | null,
    columns: Record<string, string | number | null> = {},
  ) => ({
    id,
    creatorId,
    createdAt,
    uploadLocked: 1,
    expiration: 0,
    ...columns,
  });
  insert(database, 'Share', [
    share('holiday', 'u-alice', { name: 'Holiday', description: 'Some pictures\nfrom the sea' }),
    share('Secret_1', 'u-bob', { views: 2, expiration: now + 10 * DAY_MS }),
    share('gone', 'u-alice', { expiration: now - DAY_MS }),
    share('partial', 'u-alice', { expiration: new Date(now + DAY_MS).toISOString() }),
    share('lost', 'u-alice'),
    share('unfinished', 'u-alice', { uploadLocked: 0 }),
    share('anonymous', null),
    share('inbox', null, { reverseShareId: 'r1' }),
    share('in-s3', 'u-alice', { storageProvider: 'S3' }),
    share('fridas', 'u-frida'),
    share('broken', 'u-alice', { expiration: 'soon' }),
    share('link', 'u-alice'),
  ]);
  insert(database, 'ShareSecurity', [
    { id: 's1', shareId: 'Secret_1', password: argon2Hash('open sesame'), maxViews: 5 },
    { id: 's2', shareId: 'holiday', password: null, maxViews: null },
  ]);
  insert(
    database,
    'ShareRecipient',
    ['Rex@example.org', 'ria@example.org', 'no address'].map((email, index) => ({
      id: `p${index}`,
      shareId: 'holiday',
      email,
    })),
  );
  const big = makeBytes(6_000_000, 'big');
  const stored: [share: string, id: string, name: string, bytes: Buffer | undefined][] = [
    ['holiday', 'f1', 'Füße am Strand 足.jpg', makeBytes(70_000, 'sea')],
    ['holiday', 'f2', '../../etc/passwd', Buffer.from('not really')],
    ['Secret_1', 'f3', 'plan.bin', big],
    ['partial', 'f4', 'here.txt', Buffer.from('here')],
    ['partial', 'f5', 'missing.txt', undefined],
    ['lost', 'f6', 'missing.txt', undefined],
    ['inbox', 'f7', 'empty.txt', Buffer.alloc(0)],
    ['fridas', 'f8', 'frida.txt', Buffer.from('for frida')],
    ['gone', 'f9', 'old.txt', Buffer.from('old')],
    ['anonymous', 'f10', 'who.txt', Buffer.from('who')],
    ['broken', 'f11', 'what.txt', Buffer.from('what')],
    ['link', 'f12', 'link.txt', undefined],
    ['in-s3', 'f13', 'far.txt', undefined],
  ];
  for (const [shareId, id, name, bytes] of stored) {
    const size = String(bytes?.length ?? 7);
    insert(database, 'File', [{ id, name, size, shareId, createdAt }]);
    if (bytes) await writeStored(join(folder, 'uploads/shares', shareId, id), bytes);
  }
  await writeStored(join(folder, 'uploads/shares/link/target'), Buffer.from('outside'));
  await symlink('target', join(folder, 'uploads/shares/link/f12'));
  database.close();
  const links: ImportFixture['links'] = [
    {
      path: '/s/holiday',
      title: 'Holiday',
      files: { 'Füße am Strand 足.jpg': stored[0]![3]!, 'etc/passwd': stored[1]![3]! },
      recipients: ['Rex@example.org', 'ria@example.org'],
      downloads: { count: 0, max: null },
    },
    {
      path: '/share/Secret_1',
      title: null,
      password: 'open sesame',
      files: { 'plan.bin': big },
      downloads: { count: 2, max: 5 },
    },
    { path: '/s/partial', title: null, files: { 'here.txt': Buffer.from('here') } },
    { path: '/s/inbox', title: null, files: { 'empty.txt': Buffer.alloc(0) } },
    { path: '/share/fridas', title: null, files: { 'frida.txt': Buffer.from('for frida') } },
  ];
  return {
    folder,
    counts: {
      users: {
        found: 6,
        created: 5,
        joined: 1,
        alreadyImported: 0,
        skipped: 0,
        inactive: 0,
        administrators: 0,
      },
      shares: { found: 12, imported: 5, alreadyImported: 0, expired: 1, skipped: 6 },
      files: { found: 9, imported: 6, skipped: 3 },
      bytes: sumBytes(links),
    },
    people: [
      { login: 'alice', password: 'alice in chains' },
      { login: 'bob@example.net', password: 'bob the builder' },
      { login: 'zoe', password: 'größer als sieben' },
      { login: 'paula-2', password: 'not the same paula' },
    ],
    links,
    deadLinks: ['/s/gone', '/s/lost', '/s/anonymous', '/share/in-s3', '/s/link', '/s/holidaY', '/s/u-alice'],
  };
}
