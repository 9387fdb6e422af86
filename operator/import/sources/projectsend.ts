import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, EXIT } from '../../../command-line/exit-codes.ts';
import { oldAddress } from '../../../server/features/imports/index.ts';
import { findOptionalPath } from '../reading/find-path.ts';
import { GroupedRows } from '../reading/grouped-rows.ts';
import { loadDump } from '../reading/load-dump.ts';
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
import type { SqliteFile } from '../reading/sqlite-file.ts';
import { NO_PASSWORD, type NotKept, type Source, type SourceOptions, type SourceShare } from '../source.ts';
import { decodeHtml } from './html-text.ts';

const UPLOADS = ['upload/files', 'files'];
const TABLES = [
  'users',
  'roles',
  'groups',
  'members',
  'folders',
  'files',
  'files_relations',
  'downloads',
  'options',
] as const;
type Table = (typeof TABLES)[number];

const NEEDED: [Table, string[]][] = [
  ['users', ['id', 'password', 'name', 'email', 'active']],
  ['files', ['id', 'url', 'filename', 'description', 'timestamp', 'expires', 'expiry_date', 'public_token']],
  ['files_relations', ['file_id', 'client_id', 'group_id', 'hidden']],
  ['members', ['client_id', 'group_id']],
];

const ADMIN_LEVEL = 9;
const ADMIN_ROLE = 'System Administrator';
const FOLDERS_DEEP_MAX = 64;

/** ProjectSend (projectsend/projectsend) 1, from a dump of its MySQL or MariaDB database. */
export async function openProjectSend({ from, files, scratch }: SourceOptions): Promise<Source> {
  const dump = await findDump(from);
  const uploads = files ?? (await findOptionalPath(from, UPLOADS)) ?? join(from, UPLOADS[0]!);
  const database = await loadDump(dump, { wanted: TABLES, scratch });
  return new ProjectSendSource(database, uploads);
}

async function findDump(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /\.sql(\.gz)?$/i.test(name)).sort();
  if (names.length === 1) return join(folder, names[0]!);
  throw new CommandError(
    EXIT.failed,
    names.length === 0
      ? `There is no dump of the database (.sql or .sql.gz) in ${folder}.`
      : `There are several dumps in ${folder}: ${names.join(', ')}. Keep the one to import.`,
  );
}

class ProjectSendSource implements Source {
  readonly notices: string[];
  readonly fingerprint = null;
  readonly filesFolder: string;
  readonly #database: SqliteFile;
  readonly #prefix: string;
  readonly #hasDatedFolders: boolean;

  constructor(database: SqliteFile, filesFolder: string) {
    this.#database = database;
    this.filesFolder = filesFolder;
    this.#prefix = findPrefix(database);
    database.require(Object.fromEntries(NEEDED.map(([table, columns]) => [this.#prefix + table, columns])));
    this.#hasDatedFolders = this.#readOption('uploads_organize_folders_by_date') === '1';
    this.notices = [
      'Times in the dump are taken as UTC, which mysqldump writes unless --skip-tz-utc was used.',
    ];
  }

  users() {
    const columns = this.#database.columnsOf(`${this.#prefix}users`);
    const username = columns.has('username') ? 'username' : 'user';
    const hasRoles = columns.has('role_id') && this.#database.has(`${this.#prefix}roles`);
    const role = hasRoles ? `(select name from ${this.#table('roles')} r where r.id = u.role_id)` : 'null';
    return readRows(
      this.#database.rows(`select u.*, ${role} as role_name from ${this.#table('users')} u order by u.id`),
      ({ id }) => id,
      (row) => {
        const hash = optionalText(row, 'password');
        const isAdmin =
          Number(row.level ?? 0) === ADMIN_LEVEL || optionalText(row, 'role_name') === ADMIN_ROLE;
        return {
          id: identifier(row, 'id'),
          username: decodeHtml(text(row, username)),
          email: optionalText(row, 'email'),
          name: decodeLine(optionalText(row, 'name')) ?? '',
          password: hash ? ({ kind: 'hash', hash } as const) : NO_PASSWORD,
          isAdmin,
          isActive: flag(row, 'active') && !flag(row, 'account_denied') && !flag(row, 'account_requested'),
          createdAt: optionalInstant(row, 'timestamp'),
        };
      },
    );
  }

  shares() {
    const files = this.#table('files');
    const hasDownloads = this.#database.has(`${this.#prefix}downloads`);
    const [downloads, recipients] = [
      new GroupedRows(
        hasDownloads
          ? this.#database.rows(
              `select file_id, count(*) as count from ${this.#table('downloads')}
                group by file_id order by cast(file_id as text)`,
            )
          : [],
        'file_id',
      ),
      new GroupedRows(this.#listRecipients(), 'file_id'),
    ];
    const columns = this.#database.columnsOf(`${this.#prefix}files`);
    const owner = columns.has('user_id')
      ? 'f.user_id'
      : `(select u.id from ${this.#table('users')} u where u.${this.#usernameColumn()} = f.uploader)`;
    return readRows(
      this.#database.rows(`select f.*, ${owner} as owner_id from ${files} f order by cast(f.id as text)`),
      ({ id }) => id,
      (row) => this.#readShare(row, { downloads, recipients }),
    );
  }

  /** Clients, and members of groups, to whom the file is assigned. */
  #listRecipients(): Generator<ForeignRow> {
    const [relations, members, users] = (['files_relations', 'members', 'users'] as const).map((table) =>
      this.#table(table),
    );
    return this.#database.rows(`
      select distinct a.file_id, u.email from (
          select file_id, client_id from ${relations} where coalesce(hidden, 0) = 0 and client_id is not null
          union select r.file_id, m.client_id from ${relations} r join ${members} m on m.group_id = r.group_id
            where coalesce(r.hidden, 0) = 0
        ) a join ${users} u on u.id = a.client_id
      where u.email <> '' order by cast(a.file_id as text), u.id`);
  }

  #readShare(row: ForeignRow, parts: { downloads: GroupedRows; recipients: GroupedRows }): SourceShare {
    const id = identifier(row, 'id');
    const [downloads] = parts.downloads.take(id);
    const recipients = parts.recipients.take(id);
    const name = decodeLine(optionalText(row, 'original_url')) || text(row, 'url');
    const title = decodeLine(optionalText(row, 'filename'));
    const token = optionalIdentifier(row, 'public_token');
    const createdAt = optionalInstant(row, 'timestamp');
    const limit = flag(row, 'download_limit_enabled') ? optionalInteger(row, 'download_limit_count') : null;
    const problem = findProblem(row);
    return {
      id,
      label: title || name,
      ownerId: optionalIdentifier(row, 'owner_id'),
      title,
      message: decodeHtml(optionalText(row, 'description') ?? ''),
      createdAt,
      // There is always a date; the flag says whether it matters.
      expiresAt: flag(row, 'expires') ? optionalInstant(row, 'expiry_date') : null,
      password: NO_PASSWORD,
      maxDownloads: optionalText(row, 'download_limit_type') === 'per_user' ? null : limit || null,
      downloadCount: downloads ? integer(downloads, 'count') : 0,
      recipients: recipients.map((each) => text(each, 'email')),
      addresses: token && flag(row, 'public_allow') ? [oldAddress.publicFile(id, token)] : [],
      files: [
        {
          id,
          path: [...this.#listFolders(optionalInteger(row, 'folder_id')), name].join('/'),
          location: [...this.#datedFolders(row), text(row, 'url')],
          sizeBytes: optionalInteger(row, 'size') || null,
          mimeType: null,
          modifiedAt: createdAt,
        },
      ],
      ...(problem && { problem }),
    };
  }

  /** Zero-padded on the disk, plain numbers in the table. */
  #datedFolders(row: ForeignRow): string[] {
    const [year, month] = [
      optionalInteger(row, 'disk_folder_year'),
      optionalInteger(row, 'disk_folder_month'),
    ];
    if (!this.#hasDatedFolders || !year || !month) return [];
    return [String(year).padStart(4, '0'), String(month).padStart(2, '0')];
  }

  #listFolders(folderId: number | null): string[] {
    const names: string[] = [];
    if (!this.#database.has(`${this.#prefix}folders`)) return names;
    for (let id = folderId; id && names.length < FOLDERS_DEEP_MAX; ) {
      const [folder] = [
        ...this.#database.rows(`select name, parent from ${this.#table('folders')} where id = ?`, id),
      ];
      if (!folder) break;
      names.unshift((decodeLine(optionalText(folder, 'name')) ?? '').replaceAll('/', '_'));
      id = optionalInteger(folder, 'parent');
    }
    return names;
  }

  listNotKept(): NotKept[] {
    const columns = this.#database.columnsOf(`${this.#prefix}files`);
    return [
      {
        what: 'groups (their members became recipients)',
        count: this.#database.count(`${this.#prefix}groups`),
      },
      {
        what: 'download limits per person',
        count: columns.has('download_limit_type')
          ? this.#database.count(
              `${this.#prefix}files`,
              `download_limit_enabled = 1 and download_limit_type = 'per_user'`,
            )
          : 0,
      },
    ];
  }

  close(): void {
    this.#database.close();
  }

  #table(name: Table): string {
    return `"${this.#prefix}${name}"`;
  }

  #usernameColumn(): string {
    return this.#database.columnsOf(`${this.#prefix}users`).has('username') ? 'username' : '"user"';
  }

  #readOption(name: string): string | undefined {
    if (!this.#database.has(`${this.#prefix}options`)) return undefined;
    const [row] = [
      ...this.#database.rows(`select value from ${this.#table('options')} where name = ?`, name),
    ];
    return row && `${row.value}`;
  }
}

function findPrefix(database: SqliteFile): string {
  const [row] = [
    ...database.rows(
      `select name from sqlite_schema where type = 'table' and name like '%files\\_relations' escape '\\'`,
    ),
  ];
  if (!row)
    throw new CommandError(EXIT.failed, 'The dump has no table of ProjectSend (tbl_files_relations).');
  const prefix = `${row.name}`.slice(0, -'files_relations'.length);
  if (!/^\w*$/.test(prefix))
    throw new CommandError(EXIT.failed, `The dump has an invalid table prefix: ${prefix}`);
  return prefix;
}

function findProblem(row: ForeignRow): string | undefined {
  if (flag(row, 'encrypted')) return 'it is encrypted, and only ProjectSend can decrypt it';
  const storage = optionalText(row, 'storage_type') ?? 'local';
  return storage === 'local' ? undefined : `it is stored elsewhere (${storage})`;
}

function decodeLine(value: string | null): string | null {
  return value === null ? null : decodeHtml(value).replace(/\s+/g, ' ').trim();
}
