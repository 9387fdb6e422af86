import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { CommandError, EXIT } from '../../../command-line/exit-codes.ts';
import { SECOND_MS } from '../../../contracts/values/durations.ts';
import { oldAddress } from '../../../server/features/imports/index.ts';
import { findPath } from '../reading/find-path.ts';
import { hasNonZeroField } from '../reading/gob.ts';
import {
  type ForeignRow,
  flag,
  identifier,
  integer,
  optionalIdentifier,
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
  type SourceOptions,
  type SourcePassword,
  type SourceShare,
  type SourceUser,
  type Unreadable,
} from '../source.ts';

const CONFIGS = ['config/config.json', 'config.json'];
const DATABASES = ['data/gokapi.sqlite', 'gokapi.sqlite'];

const NEEDED = {
  FileMetaData: [
    'Id',
    'Name',
    'SHA1',
    'ExpireAt',
    'SizeBytes',
    'DownloadsRemaining',
    'DownloadCount',
    'PasswordHash',
    'HotlinkId',
    'ContentType',
    'AwsBucket',
    'Encryption',
    'UnlimitedDownloads',
    'UnlimitedTime',
  ],
};

const Salt = z.string().default('');
const Config = z.object({
  Authentication: z.object({
    SaltAdmin: Salt,
    SaltFiles: Salt,
    Username: z.string().default('admin'),
    Password: z.string().default(''),
  }),
});
type Salts = z.output<typeof Config>['Authentication'];

/** The only account of releases before 2.0, which is in config.json. */
const ONLY_USER = '0';
const SUPER_ADMIN = 0;
const ADMIN = 1;

/** Gokapi (Forceu/Gokapi) 1.9 and 2, SQLite. */
export async function openGokapi({ from, files, scratch }: SourceOptions): Promise<Source> {
  const configPath = await findPath(from, CONFIGS, 'configuration of Gokapi');
  const path = await findPath(from, DATABASES, 'SQLite database of Gokapi');
  const salts = await readSalts(configPath);
  const database = await SqliteFile.open(path, scratch);
  database.require(NEEDED);
  return new GokapiSource(database, salts, { stored: dirname(path), bucket: files });
}

async function readSalts(path: string): Promise<Salts> {
  try {
    return Config.parse(JSON.parse(await readFile(path, 'utf8'))).Authentication;
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new CommandError(EXIT.failed, `${path} cannot be read: ${reason}`);
  }
}

class GokapiSource implements Source {
  readonly notices: string[] = [];
  readonly fingerprint: string | null;
  readonly filesFolder: string;
  readonly #database: SqliteFile;
  readonly #salts: Salts;
  readonly #hasBucket: boolean;
  /** Owns files of releases before 2.0. */
  #superAdmin: string = ONLY_USER;

  constructor(
    database: SqliteFile,
    salts: Salts,
    { stored, bucket }: { stored: string; bucket: string | undefined },
  ) {
    this.#database = database;
    this.#salts = salts;
    this.filesFolder = bucket ?? stored;
    this.#hasBucket = bucket !== undefined;
    const seed = salts.SaltFiles + salts.SaltAdmin;
    this.fingerprint = seed ? createHash('sha256').update(seed).digest('base64url') : null;
    const [first] = database.has('Users')
      ? [...database.rows('select "Id" from "Users" order by "Userlevel", "Id" limit 1')]
      : [];
    if (first) this.#superAdmin = `${first.Id}`;
  }

  *users(): Generator<SourceUser | Unreadable> {
    if (!this.#database.has('Users')) {
      const { Username: username, Password: digest, SaltAdmin: salt } = this.#salts;
      if (username === '') return;
      const password: SourcePassword = digest ? { kind: 'sha1', digest, salt } : NO_PASSWORD;
      yield toUser({ id: ONLY_USER, username, password, isAdmin: true });
      return;
    }
    const salt = this.#salts.SaltAdmin;
    yield* readRows(
      this.#database.rows('select "Id", "Name", "Password", "Userlevel" from "Users" order by "Id"'),
      ({ Id }) => Id,
      (row) => {
        const level = integer(row, 'Userlevel');
        return toUser({
          id: identifier(row, 'Id'),
          username: text(row, 'Name'),
          password: sha1Of(optionalText(row, 'Password'), salt),
          isAdmin: level === SUPER_ADMIN || level === ADMIN,
        });
      },
    );
  }

  shares() {
    const columns = this.#database.columnsOf('FileMetaData');
    const optional = (column: string) => (columns.has(column) ? `"${column}"` : `null as "${column}"`);
    const needed = NEEDED.FileMetaData.map((column) => `"${column}"`).join(', ');
    const more = ['UserId', 'UploadDate', 'PendingDeletion'].map(optional).join(', ');
    return readRows(
      this.#database.rows(`select ${needed}, ${more} from "FileMetaData" order by "Id"`),
      ({ Id }) => Id,
      (row) => this.#readShare(row),
    );
  }

  #readShare(row: ForeignRow): SourceShare {
    const id = identifier(row, 'Id');
    const name = text(row, 'Name');
    const hotlink = optionalIdentifier(row, 'HotlinkId');
    const userId = optionalIdentifier(row, 'UserId');
    const downloadCount = integer(row, 'DownloadCount');
    const remaining = Math.max(0, integer(row, 'DownloadsRemaining'));
    const isUnlimited = flag(row, 'UnlimitedDownloads');
    const uploadedAt = inMilliseconds(optionalInteger(row, 'UploadDate'));
    const problem = this.#findProblem(row, { isUsedUp: !isUnlimited && remaining === 0 });
    return {
      id,
      label: name,
      ownerId: userId === null || userId === ONLY_USER ? this.#superAdmin : userId,
      title: null,
      message: null,
      createdAt: uploadedAt,
      expiresAt: flag(row, 'UnlimitedTime') ? null : inMilliseconds(integer(row, 'ExpireAt')),
      password: sha1Of(optionalText(row, 'PasswordHash'), this.#salts.SaltFiles),
      maxDownloads: isUnlimited ? null : downloadCount + remaining,
      downloadCount,
      recipients: [],
      addresses: [oldAddress.download(id), ...(hotlink ? [oldAddress.hotlink(hotlink)] : [])],
      files: [
        {
          id,
          path: name,
          location: [text(row, 'SHA1')],
          sizeBytes: integer(row, 'SizeBytes'),
          mimeType: optionalText(row, 'ContentType'),
          modifiedAt: uploadedAt,
        },
      ],
      ...(problem && { problem }),
    };
  }

  #findProblem(row: ForeignRow, { isUsedUp }: { isUsedUp: boolean }): string | undefined {
    if (optionalInteger(row, 'PendingDeletion')) return 'it was deleted';
    if (isUsedUp) return 'no downloads are left';
    const isEncrypted = row.Encryption instanceof Uint8Array && hasNonZeroField(row.Encryption);
    if (isEncrypted !== false) return 'it is encrypted, and only Gokapi can decrypt it';
    const isInBucket = optionalText(row, 'AwsBucket') !== '';
    if (isInBucket && !this.#hasBucket) return 'its files are in a bucket: copy them and add --files';
    if (!isInBucket && this.#hasBucket) return 'its files are not in the bucket: run again without --files';
    return undefined;
  }

  listNotKept(): NotKept[] {
    return [
      { what: 'API keys', count: this.#database.count('ApiKeys') },
      { what: 'upload requests', count: this.#database.count('UploadRequests') },
    ];
  }

  close(): void {
    this.#database.close();
  }
}

type NewUser = Pick<SourceUser, 'id' | 'username' | 'password' | 'isAdmin'>;

/** Gokapi knows no addresses, but a name may be one, with sign-in by another provider. */
function toUser(user: NewUser): SourceUser {
  const { username } = user;
  const email = username.includes('@') ? username : null;
  return { ...user, name: username, email, isActive: true, createdAt: null };
}

function sha1Of(digest: string | null, salt: string): SourcePassword {
  return digest ? { kind: 'sha1', digest, salt } : NO_PASSWORD;
}

function inMilliseconds(seconds: number | null): number | null {
  return seconds ? seconds * SECOND_MS : null;
}
