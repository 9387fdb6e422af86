import { clear, delMany, entries, promisifyRequest, set } from 'idb-keyval';
import { DAY_MS } from '../../../contracts/values/durations.ts';
import { openStore } from './database.ts';

/** Files chosen together, with their paths in the chosen folder, and the handles that reopen them. */
export type KeptChoice = {
  /** Empty if there are only handles, because copying the files would take too long. */
  files: { file: File; relativePath: string }[];
  roots: FileSystemHandle[];
  /** Paths that could not be read. */
  unreadable?: string[];
};

type Kept = KeptChoice & {
  count: number;
  /** Of the first files. */
  names: string[];
  /** Epoch milliseconds. */
  keptAt: number;
};

export type KeptSummary = Pick<Kept, 'count' | 'names'>;

const KEPT_MS = DAY_MS;
const SHOWN_NAMES = 3;

/** Browsers copy the files they store. Larger choices are kept as handles if the browser has these. */
const COPIED_BYTES = 500 * 1024 ** 2;

const store = () => openStore('sendwell-kept-files', 'choices');

/**
 * Keeps files in this browser for a day, for somebody who has to sign up or in before sending them. Rejects if the
 * browser has no storage or not enough, as in some private windows.
 */
export async function keepFiles({ files, roots, unreadable = [] }: KeptChoice): Promise<void> {
  const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
  const kept: Kept = {
    files: bytes > COPIED_BYTES && roots.length > 0 ? [] : files,
    roots,
    unreadable,
    count: files.length,
    names: files.slice(0, SHOWN_NAMES).map(({ file }) => file.name),
    keptAt: Date.now(),
  };
  await set(`${kept.keptAt}-${Math.random()}`, kept, store());
}

/** Undefined if there are none. Deletes those whose time is over. */
export async function findKeptFiles(): Promise<KeptSummary | undefined> {
  const known = await entries<string, Kept>(store()).catch(() => []);
  const stale = known.filter(([, kept]) => !isFresh(kept));
  if (stale.length > 0)
    void delMany(
      stale.map(([key]) => key),
      store(),
    ).catch(() => {});
  const fresh = known.map(([, kept]) => kept).filter(isFresh);
  if (fresh.length === 0) return undefined;
  return {
    count: fresh.reduce((sum, { count }) => sum + count, 0),
    names: fresh.flatMap(({ names }) => names).slice(0, SHOWN_NAMES),
  };
}

/** Returns and deletes everything kept, in one transaction, so that only one of several tabs receives it. */
export async function takeKeptFiles(): Promise<KeptChoice[]> {
  const taken = store()('readwrite', async (kept) => {
    const all = await promisifyRequest<Kept[]>(kept.getAll());
    await promisifyRequest(kept.clear());
    return all;
  });
  return (await taken.catch(() => [])).filter(isFresh);
}

export async function discardKeptFiles(): Promise<void> {
  await clear(store()).catch(() => {});
}

function isFresh({ keptAt }: Kept): boolean {
  return Date.now() - keptAt < KEPT_MS;
}
