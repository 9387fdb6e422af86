import { argon2Sync, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { TestContext } from 'node:test';
import type { EMPTY_COUNTS } from '../../operator/import/report.ts';

/** The data folder of another product, built by the schema of its releases. */
export type ImportFixture = {
  folder: string;
  /** What the report must say. */
  counts: typeof EMPTY_COUNTS;
  /** People who can sign in with what they used there. */
  people: { login: string; password: string }[];
  /** Links that worked there. */
  links: {
    path: string;
    password?: string;
    title: string | null;
    files: Record<string, Buffer>;
    recipients?: string[];
    downloads?: { count: number; max: number | null };
  }[];
  /** Links that did not work any more, or that cannot be imported. */
  deadLinks: string[];
};

export async function makeFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sendwell-source-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function writeStored(path: string, bytes: Buffer): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
}

export function createDatabase(path: string, ddl: string): DatabaseSync {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec(ddl);
  return database;
}

export function insert(database: DatabaseSync, table: string, rows: Record<string, SQLInputValue>[]): void {
  for (const row of rows) {
    const columns = Object.keys(row);
    const names = columns.map((column) => `"${column}"`).join(', ');
    const marks = columns.map(() => '?').join(', ');
    database.prepare(`insert into "${table}" (${names}) values (${marks})`).run(...Object.values(row));
  }
}

const hashes = new Map<string, string>();

/** As the package argon2 of npm hashes by default. Hashes each password once, because that takes 0.1 s. */
export function argon2Hash(password: string): string {
  const hash = hashes.get(password) ?? computeHash(password);
  hashes.set(password, hash);
  return hash;
}

function computeHash(password: string): string {
  const nonce = randomBytes(16);
  const cost = { memory: 65_536, passes: 3, parallelism: 4, tagLength: 32 };
  const tag = argon2Sync('argon2id', { ...cost, message: password, nonce });
  return `$argon2id$v=19$m=65536,t=3,p=4$${unpadded(nonce)}$${unpadded(tag)}`;
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}

export function sumBytes(links: ImportFixture['links']): number {
  return links.flatMap(({ files }) => Object.values(files)).reduce((sum, { length }) => sum + length, 0);
}
