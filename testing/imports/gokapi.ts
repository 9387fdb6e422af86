import { createHash } from 'node:crypto';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { DAY_MS, SECOND_MS } from '../../contracts/values/durations.ts';
import { makeBytes } from '../uploads/upload-files.ts';
import { createDatabase, type ImportFixture, insert, makeFolder, sumBytes, writeStored } from './fixture.ts';

/** The tables of release 2.2 (schema version 12). */
const DDL = `
pragma journal_mode = wal;
pragma user_version = 12;
create table "ApiKeys" ("Id" text not null unique, "FriendlyName" text not null, "LastUsed" integer not null,
  "Permissions" integer not null default 0, "Expiry" integer, "IsSystemKey" integer, "UserId" integer not null,
  "PublicId" text not null unique, "UploadRequestId" integer not null, primary key ("Id")) without rowid;
create table "FileMetaData" ("Id" text not null unique, "Name" text not null, "Size" text not null, "SHA1" text not null,
  "ExpireAt" integer not null, "SizeBytes" integer not null, "DownloadsRemaining" integer not null,
  "DownloadCount" integer not null, "PasswordHash" text not null, "HotlinkId" text not null, "ContentType" text not null,
  "AwsBucket" text not null, "Encryption" blob not null, "UnlimitedDownloads" integer not null,
  "UnlimitedTime" integer not null, "UserId" integer not null, "UploadDate" integer not null,
  "PendingDeletion" integer not null, "UploadRequestId" integer not null, primary key ("Id"));
create table "Hotlinks" ("Id" text not null unique, "FileId" text not null unique, primary key ("Id")) without rowid;
create table "Users" ("Id" integer not null unique, "Name" text not null unique, "Password" text,
  "Permissions" integer not null, "Userlevel" integer not null, "LastOnline" integer not null default 0,
  "ResetPassword" integer not null default 0, primary key ("Id" autoincrement));
`;

/** encoding/gob: a message that defines a type (id -65), then one with a value of it: all zero, or its first field 1. */
const TYPE_DEFINITION = [0x04, 0xff, 0x81, 0x03, 0x00];
const PLAIN = Buffer.from([...TYPE_DEFINITION, 0x03, 0xff, 0x82, 0x00]);
const ENCRYPTED = Buffer.from([...TYPE_DEFINITION, 0x05, 0xff, 0x82, 0x01, 0x01, 0x00]);

const SALT_ADMIN = 'AdminSaltOfThirtyCharacters012';
const SALT_FILES = 'FilesSaltOfThirtyCharacters012';

const sha1 = (text: string | Buffer) => createHash('sha1').update(text).digest('hex');

/** `now`: of the server, in epoch milliseconds. The last changes are in the write-ahead log only. */
export async function makeGokapi(t: TestContext, now: number): Promise<ImportFixture> {
  const folder = await makeFolder(t);
  const config = {
    Authentication: {
      Method: 0,
      SaltAdmin: SALT_ADMIN,
      SaltFiles: SALT_FILES,
      Username: 'admin',
      Password: '',
    },
    Port: ':53842',
    ConfigVersion: 22,
  };
  await writeStored(join(folder, 'config/config.json'), Buffer.from(JSON.stringify(config)));
  const scratch = await makeFolder(t);
  const database = createDatabase(join(scratch, 'gokapi.sqlite'), DDL);
  insert(database, 'Users', [
    {
      Id: 1,
      Name: 'admin',
      Password: sha1(`gokapi administrator${SALT_ADMIN}`),
      Permissions: 255,
      Userlevel: 0,
    },
    {
      Id: 2,
      Name: 'grace@example.net',
      Password: sha1(`grace hopper${SALT_ADMIN}`),
      Permissions: 0,
      Userlevel: 2,
    },
    { Id: 3, Name: 'oidc@example.net', Password: '', Permissions: 0, Userlevel: 2 },
  ]);
  const inSeconds = (instant: number) => Math.floor(instant / SECOND_MS);
  const file = (
    Id: string,
    Name: string,
    bytes: Buffer,
    more: Record<string, string | number | Buffer> = {},
  ) => ({
    Id,
    Name,
    Size: `${bytes.length} B`,
    SHA1: sha1(bytes),
    ExpireAt: inSeconds(now + 3 * DAY_MS),
    SizeBytes: bytes.length,
    DownloadsRemaining: 0,
    DownloadCount: 0,
    PasswordHash: '',
    HotlinkId: '',
    ContentType: 'text/plain',
    AwsBucket: '',
    Encryption: PLAIN,
    UnlimitedDownloads: 1,
    UnlimitedTime: 0,
    UserId: 2,
    UploadDate: inSeconds(now - 2 * DAY_MS),
    PendingDeletion: 0,
    UploadRequestId: 0,
    ...more,
  });
  const picture = makeBytes(90_000, 'picture');
  const limited = makeBytes(5_500_000, 'limited');
  const small = Buffer.from('small');
  insert(database, 'FileMetaData', [
    file('idOfThePicture1', 'Bild – größer.png', picture, {
      HotlinkId: 'hotlink1.png',
      UnlimitedTime: 1,
      UserId: 0,
    }),
    file('idOfTheLimited1', 'limited.bin', limited, {
      PasswordHash: sha1(`file passwörd${SALT_FILES}`),
      UnlimitedDownloads: 0,
      DownloadsRemaining: 3,
      DownloadCount: 2,
    }),
    file('idExpired', 'expired.txt', small, { ExpireAt: inSeconds(now - DAY_MS) }),
    file('idMissing', 'missing.txt', Buffer.from('missing')),
    file('idEncrypted', 'encrypted.txt', small, { Encryption: ENCRYPTED }),
    file('idUsedUp', 'used-up.txt', small, { UnlimitedDownloads: 0 }),
    file('idInBucket', 'far.txt', small, { AwsBucket: 'bucket' }),
    file('idDeleted', 'deleted.txt', small, { PendingDeletion: 1 }),
    file('idEvil', 'evil.txt', small, { SHA1: '../config/config.json' }),
  ]);
  for (const bytes of [picture, limited, small]) await writeStored(join(folder, 'data', sha1(bytes)), bytes);
  for (const suffix of ['', '-wal'])
    await copyFile(join(scratch, `gokapi.sqlite${suffix}`), join(folder, `data/gokapi.sqlite${suffix}`));
  database.close();
  const links: ImportFixture['links'] = [
    { path: '/d?id=idOfThePicture1', title: null, files: { 'Bild – größer.png': picture } },
    {
      path: '/downloadFile?id=idOfTheLimited1',
      title: null,
      password: 'file passwörd',
      files: { 'limited.bin': limited },
      downloads: { count: 2, max: 5 },
    },
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
        inactive: 0,
        administrators: 0,
      },
      shares: { found: 9, imported: 2, alreadyImported: 0, expired: 1, skipped: 6 },
      files: { found: 4, imported: 2, skipped: 2 },
      bytes: sumBytes(links),
    },
    people: [
      { login: 'admin', password: 'gokapi administrator' },
      { login: 'grace', password: 'grace hopper' },
    ],
    links,
    deadLinks: [
      '/d?id=idExpired',
      '/d?id=idEncrypted',
      '/d/idUsedUp/used-up.txt',
      '/h/none',
      '/d',
      '/d?id=a&id=b',
    ],
  };
}
