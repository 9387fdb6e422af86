import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { oldAddress } from '../../../server/features/imports/index.ts';
import { findOptionalPath, findPath } from '../reading/find-path.ts';
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

const DATABASES = ['prisma/palmr.db', 'server/prisma/palmr.db', 'palmr.db'];
const UPLOADS = ['../uploads', 'uploads'];

const NEEDED = {
  users: ['id', 'firstName', 'lastName', 'username', 'email', 'password', 'isAdmin', 'isActive', 'createdAt'],
  files: ['id', 'name', 'size', 'objectName', 'userId', 'createdAt'],
  shares: ['id', 'name', 'views', 'expiration', 'description', 'createdAt', 'creatorId', 'securityId'],
  share_security: ['id', 'password', 'maxViews'],
  share_recipients: ['shareId', 'email'],
  share_aliases: ['shareId', 'alias'],
  _ShareFiles: ['A', 'B'],
};

const FOLDERS_DEEP_MAX = 64;

/** Palmr (kyantech/Palmr) 3, SQLite. */
export async function openPalmr({ from, files, scratch }: SourceOptions): Promise<Source> {
  const path = await findPath(from, DATABASES, 'database of Palmr');
  const uploads = await findOptionalPath(dirname(path), UPLOADS);
  const database = await SqliteFile.open(path, scratch);
  database.require(NEEDED);
  return new PalmrSource(database, files ?? uploads ?? join(dirname(path), UPLOADS[0]!));
}

class PalmrSource implements Source {
  readonly notices: string[] = [];
  readonly fingerprint: string | null;
  readonly filesFolder: string;
  readonly #database: SqliteFile;
  readonly #hasFolders: boolean;

  constructor(database: SqliteFile, filesFolder: string) {
    this.#database = database;
    this.filesFolder = filesFolder;
    this.#hasFolders = database.has('folders') && database.has('_ShareFolders');
    this.fingerprint = readFingerprint(database);
  }

  users() {
    const rows = this.#database.rows('select * from users order by "createdAt", id');
    return readRows(
      rows,
      ({ id }) => id,
      (row) => ({
        id: identifier(row, 'id'),
        username: text(row, 'username'),
        email: text(row, 'email'),
        name: `${optionalText(row, 'firstName') ?? ''} ${optionalText(row, 'lastName') ?? ''}`.trim(),
        password: passwordOf(row),
        isAdmin: flag(row, 'isAdmin'),
        isActive: flag(row, 'isActive'),
        createdAt: optionalInstant(row, 'createdAt'),
      }),
    );
  }

  shares() {
    const rows = this.#database.rows(`
      select s.*, a.alias, p.password, p."maxViews" from shares s
        left join share_aliases a on a."shareId" = s.id left join share_security p on p.id = s."securityId"
      order by s.id`);
    const recipients = new GroupedRows(
      this.#database.rows('select email, "shareId" from share_recipients order by "shareId", id'),
      'shareId',
    );
    return readRows(
      rows,
      ({ id }) => id,
      (row) => this.#readShare(row, recipients),
    );
  }

  #readShare(row: ForeignRow, recipients: GroupedRows): SourceShare {
    const id = identifier(row, 'id');
    const emails = recipients.take(id);
    const alias = optionalIdentifier(row, 'alias');
    return {
      id,
      label: optionalText(row, 'name') ?? alias ?? id,
      ownerId: optionalIdentifier(row, 'creatorId'),
      title: optionalText(row, 'name'),
      message: optionalText(row, 'description'),
      createdAt: optionalInstant(row, 'createdAt'),
      expiresAt: optionalInstant(row, 'expiration'),
      password: passwordOf(row),
      maxDownloads: optionalInteger(row, 'maxViews') || null,
      downloadCount: integer(row, 'views'),
      recipients: emails.map((each) => text(each, 'email')),
      addresses: alias ? [oldAddress.share(alias)] : [],
      files: listOnce(this.#listFiles(id)),
    };
  }

  *#listFiles(shareId: string): Generator<SourceFile> {
    const files = this.#database.rows(
      'select f.* from "_ShareFiles" link join files f on f.id = link."A" where link."B" = ? order by f.id',
      shareId,
    );
    for (const row of files) yield readFile(row, []);
    if (!this.#hasFolders) return;
    const folders = this.#database.rows(
      'select f.id, f.name from "_ShareFolders" link join folders f on f.id = link."A" where link."B" = ? order by f.id',
      shareId,
    );
    for (const folder of [...folders]) yield* this.#listFolder(folder, []);
  }

  *#listFolder(folder: ForeignRow, above: string[]): Generator<SourceFile> {
    // Also ends at folders that contain each other.
    if (above.length === FOLDERS_DEEP_MAX) return;
    const id = identifier(folder, 'id');
    const path = [...above, text(folder, 'name')];
    for (const row of this.#database.rows('select * from files where "folderId" = ? order by id', id))
      yield readFile(row, path);
    const inside = this.#database.rows('select id, name from folders where "parentId" = ? order by id', id);
    for (const each of [...inside]) yield* this.#listFolder(each, path);
  }

  listNotKept(): NotKept[] {
    const database = this.#database;
    const isShared = `id in (select "A" from "_ShareFiles")${this.#hasFolders ? ` or "folderId" is not null` : ''}`;
    return [
      { what: 'files that are in no share', count: database.count('files', `not (${isShared})`) },
      { what: 'reverse shares (links for receiving files)', count: database.count('reverse_shares') },
      { what: 'files received through reverse shares', count: database.count('reverse_share_files') },
      { what: 'sign-ins with another provider', count: database.count('user_auth_providers') },
      {
        what: 'authenticator apps',
        count: database.columnsOf('users').has('twoFactorEnabled')
          ? database.count('users', '"twoFactorEnabled" = true')
          : 0,
      },
    ];
  }

  close(): void {
    this.#database.close();
  }
}

/** A file may be shared by itself, and with folders in each other. Keeps the path with the most folders. */
function listOnce(files: Iterable<SourceFile>): SourceFile[] {
  const found = new Map<string, SourceFile>();
  for (const file of files) {
    const known = found.get(file.id);
    if (!known || countFolders(file) > countFolders(known)) found.set(file.id, file);
  }
  return [...found.values()];
}

function countFolders({ path }: SourceFile): number {
  return path.split('/').length - 1;
}

function passwordOf(row: ForeignRow): SourcePassword {
  const hash = optionalText(row, 'password');
  return hash ? { kind: 'hash', hash } : NO_PASSWORD;
}

/** Palmr replaces what is not safe in a file name when it stores an object in a folder. */
function readFile(row: ForeignRow, folders: string[]): SourceFile {
  return {
    id: identifier(row, 'id'),
    path: [...folders, text(row, 'name')].join('/'),
    location: text(row, 'objectName')
      .replace(/[^a-zA-Z0-9\-_./]/g, '_')
      .split('/'),
    sizeBytes: integer(row, 'size'),
    mimeType: null,
    modifiedAt: optionalInstant(row, 'createdAt'),
  };
}

/** The secret that signs its sessions is generated once per installation. */
function readFingerprint(database: SqliteFile): string | null {
  if (!database.columnsOf('app_configs').has('value')) return null;
  const [row] = [...database.rows(`select value from app_configs where key = 'jwtSecret'`)];
  return row?.value ? createHash('sha256').update(`${row.value}`).digest('base64url') : null;
}
