import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { oldAddress } from '../../../server/features/imports/index.ts';
import { findPath } from '../reading/find-path.ts';
import { GroupedRows } from '../reading/grouped-rows.ts';
import {
  type ForeignRow,
  flag,
  identifier,
  integer,
  optionalIdentifier,
  optionalInstant,
  optionalInteger,
  optionalText,
  readRows,
  text,
} from '../reading/rows.ts';
import { SqliteFile } from '../reading/sqlite-file.ts';
import {
  NO_PASSWORD,
  type NotKept,
  type Source,
  type SourceFile,
  type SourceOptions,
  type SourcePassword,
  type SourceShare,
} from '../source.ts';

const DATABASES = ['pingvin-share.db', 'data/pingvin-share.db', 'backend/data/pingvin-share.db'];

const NEEDED = {
  User: ['id', 'username', 'email', 'password', 'isAdmin', 'createdAt'],
  Share: ['id', 'createdAt', 'uploadLocked', 'views', 'expiration', 'description', 'creatorId'],
  File: ['id', 'name', 'size', 'shareId'],
  ShareSecurity: ['shareId', 'password', 'maxViews'],
  ShareRecipient: ['shareId', 'email'],
};

/** Pingvin Share (stonith404/pingvin-share), SQLite. */
export async function openPingvin({ from, files, scratch }: SourceOptions): Promise<Source> {
  const path = await findPath(from, DATABASES, 'database of Pingvin Share');
  const database = await SqliteFile.open(path, scratch);
  database.require(NEEDED);
  return new PingvinSource(database, { uploads: join(dirname(path), 'uploads/shares'), bucket: files });
}

class PingvinSource implements Source {
  readonly notices: string[] = [];
  readonly fingerprint: string | null;
  readonly filesFolder: string;
  readonly #database: SqliteFile;
  readonly #hasBucket: boolean;

  constructor(database: SqliteFile, { uploads, bucket }: { uploads: string; bucket: string | undefined }) {
    this.#database = database;
    this.filesFolder = bucket ?? uploads;
    this.#hasBucket = bucket !== undefined;
    this.fingerprint = readFingerprint(database);
  }

  users() {
    const rows = this.#database.rows(
      'select id, username, email, password, "isAdmin", "createdAt" from "User" order by "createdAt", id',
    );
    return readRows(
      rows,
      ({ id }) => id,
      (row) => ({
        id: identifier(row, 'id'),
        username: text(row, 'username'),
        email: text(row, 'email'),
        name: text(row, 'username'),
        password: passwordOf(row),
        isAdmin: flag(row, 'isAdmin'),
        isActive: true,
        createdAt: optionalInstant(row, 'createdAt'),
      }),
    );
  }

  shares() {
    const columns = this.#database.columnsOf('Share');
    const optional = (column: string, otherwise = 'null') =>
      `${columns.has(column) ? `s."${column}"` : otherwise} as "${column}"`;
    const owner = columns.has('reverseShareId')
      ? `coalesce(s."creatorId", (select r."creatorId" from "ReverseShare" r where r.id = s."reverseShareId"))`
      : 's."creatorId"';
    const rows = this.#database.rows(`
      select s.id, s."createdAt", s."uploadLocked", s.views, s.expiration, s.description, ${owner} as "ownerId",
        ${optional('name')}, ${optional('removedReason')}, ${optional('storageProvider', "'LOCAL'")},
        p.password, p."maxViews"
      from "Share" s left join "ShareSecurity" p on p."shareId" = s.id order by s.id`);
    const files = new GroupedRows(
      this.#database.rows('select id, name, size, "shareId", "createdAt" from "File" order by "shareId", id'),
      'shareId',
    );
    const recipients = new GroupedRows(
      this.#database.rows('select email, "shareId" from "ShareRecipient" order by "shareId", id'),
      'shareId',
    );
    return readRows(
      rows,
      ({ id }) => id,
      (row) => this.#readShare(row, { files, recipients }),
    );
  }

  #readShare(row: ForeignRow, parts: { files: GroupedRows; recipients: GroupedRows }): SourceShare {
    const id = identifier(row, 'id');
    // Take the parts first: a share that cannot be read must not leave them to the next one.
    const files = parts.files.take(id);
    const recipients = parts.recipients.take(id);
    const isInBucket = optionalText(row, 'storageProvider') === 'S3';
    const expiresAt = optionalInstant(row, 'expiration');
    const problem = this.#findProblem(row, { isInBucket });
    return {
      id,
      label: optionalText(row, 'name') ?? id,
      ownerId: optionalIdentifier(row, 'ownerId'),
      title: optionalText(row, 'name'),
      message: optionalText(row, 'description'),
      createdAt: optionalInstant(row, 'createdAt'),
      // The epoch means never.
      expiresAt: expiresAt === 0 ? null : expiresAt,
      password: passwordOf(row),
      maxDownloads: optionalInteger(row, 'maxViews') || null,
      downloadCount: integer(row, 'views'),
      recipients: recipients.map((each) => text(each, 'email')),
      addresses: [oldAddress.share(id)],
      files: files.map((each) => readFile(each, { shareId: id, isInBucket })),
      ...(problem && { problem }),
    };
  }

  #findProblem(row: ForeignRow, { isInBucket }: { isInBucket: boolean }): string | undefined {
    if (!flag(row, 'uploadLocked')) return 'its upload was never finished';
    if (optionalText(row, 'removedReason')) return 'it was removed';
    if (isInBucket && !this.#hasBucket) return 'its files are in a bucket: copy them and add --files';
    if (!isInBucket && this.#hasBucket) return 'its files are not in the bucket: run again without --files';
    return undefined;
  }

  listNotKept(): NotKept[] {
    const database = this.#database;
    return [
      { what: 'reverse shares (links for receiving files)', count: database.count('ReverseShare') },
      { what: 'sign-ins with another provider', count: database.count('OAuthUser') },
      {
        what: 'authenticator apps',
        count: database.columnsOf('User').has('totpVerified')
          ? database.count('User', '"totpVerified" = true')
          : 0,
      },
    ];
  }

  close(): void {
    this.#database.close();
  }
}

function passwordOf(row: ForeignRow): SourcePassword {
  const hash = optionalText(row, 'password');
  return hash ? { kind: 'hash', hash } : NO_PASSWORD;
}

/** On disk the name is the file's id, in a bucket what the sender called it. */
function readFile(row: ForeignRow, share: { shareId: string; isInBucket: boolean }): SourceFile {
  const id = identifier(row, 'id');
  const name = text(row, 'name');
  return {
    id,
    path: name,
    location: [share.shareId, ...(share.isInBucket ? name.split('/') : [id])],
    sizeBytes: integer(row, 'size'),
    mimeType: null,
    modifiedAt: optionalInstant(row, 'createdAt'),
  };
}

/** The secret that signs its sessions is generated once per installation. */
function readFingerprint(database: SqliteFile): string | null {
  if (!database.columnsOf('Config').has('value')) return null;
  const [row] = [
    ...database.rows(`select value from "Config" where name = 'jwtSecret' and value is not null`),
  ];
  return row ? createHash('sha256').update(`${row.value}`).digest('base64url') : null;
}
