import assert from 'node:assert/strict';
import type { KyselyPlugin } from 'kysely';
import { getAnalytics, getTransferAnalytics } from '../../contracts/analytics.ts';
import { encodeSelection } from '../../contracts/transfers/downloads/selection.ts';
import { deleteTransfer } from '../../contracts/transfers/transfers.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../contracts/values/durations.ts';
import { countAll, uncountDownload } from '../../server/features/analytics/totals/count-events.ts';
import { transaction } from '../../server/platform/db/transaction.ts';
import { dayOf } from '../../server/platform/lib/clock.ts';
import { randomId } from '../../server/platform/lib/tokens.ts';
import type { Client } from '../calls/client.ts';
import { renewSessions } from '../calls/renewed-sessions.ts';
import { createReadyTransfer, type ReadyTransfer } from '../factories.ts';
import type { SeededRandom } from '../lib/seeded-random.ts';
import type { TestServer } from '../test-context.ts';
import { describe, expectCounts, type Note, simplify, sum } from './analytics-notes.ts';

const NEVER = new AbortController().signal;
/** Long enough to contain complete months. */
const DAYS = 70;
type Range = { from: string; to: string };

const PLACES = [
  ['193.99.144.80', 'DE'],
  ['8.8.8.8', 'US'],
  ['127.0.0.1', 'ZZ'],
  [null, 'ZZ'],
] as const;
const AGENTS = [
  ['Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', 'desktop'],
  ['Mozilla/5.0 (iPhone) Mobile', 'mobile'],
  ['Mozilla/5.0 (iPad)', 'tablet'],
  [null, 'other'],
] as const;
const REFERERS = [null, 'https://mail.example/inbox', 'https://blog.example/'];

/** Transfers with random events. `check` compares the server's report with a count of the events. */
export class AnalyticsWorld {
  readonly server: TestServer;
  readonly random: SeededRandom;
  readonly owner: Client;
  readonly transfers: ReadyTransfer[] = [];
  notes: Note[] = [];

  constructor(server: TestServer, random: SeededRandom, owner: Client) {
    this.server = server;
    this.random = random;
    this.owner = owner;
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.random.between(0, items.length - 1)]!;
  }

  async send(): Promise<void> {
    const { context, userId } = this.server;
    const transfer = await createReadyTransfer(context, {
      userId: userId('prem'),
      files: ['a', 'b', 'c'].map((path) => ({ path, bytes: path })),
      expiresAt: context.clock.now() + 365 * DAY_MS,
    });
    this.transfers.push(transfer);
  }

  #describe(kind: Note['kind']) {
    const transfer = this.pick(this.transfers);
    const [ipAddress, country] = this.pick(PLACES);
    const [userAgent, device] = this.pick(AGENTS);
    const at = this.server.clock.now();
    const note: Note = {
      id: randomId(),
      transferId: transfer.id,
      kind,
      at,
      country,
      device,
      referer: null,
      fileIds: [],
      completed: false,
    };
    this.notes.push(note);
    return { transfer, note, row: { id: note.id, transferId: transfer.id, ipAddress, userAgent } };
  }

  async view(): Promise<void> {
    const { note, row } = this.#describe('view');
    note.referer = this.pick(REFERERS);
    const { db } = this.server.context;
    await db
      .insertInto('transferViews')
      .values({ ...row, viewedAt: note.at, referer: note.referer })
      .execute();
  }

  async download(): Promise<void> {
    const { transfer, note, row } = this.#describe('download');
    const files = this.pick([[this.pick(transfer.files)], transfer.files.slice(0, 2), transfer.files]);
    note.fileIds = files.map(({ id }) => id);
    const { db } = this.server.context;
    await db
      .insertInto('downloads')
      .values({
        ...row,
        downloadedAt: note.at,
        fileId: files.length === 1 ? files[0]!.id : null,
        selection: files.length === 2 ? encodeSelection(files.map(({ position }) => position)) : null,
      })
      .execute();
  }

  #pickOpen(): Note | undefined {
    const open = this.notes.filter(({ kind, completed }) => kind === 'download' && !completed);
    return open.length > 0 ? this.pick(open) : undefined;
  }

  async complete(): Promise<void> {
    const note = this.#pickOpen();
    if (!note) return;
    const { db, clock } = this.server.context;
    const { numUpdatedRows } = await db
      .updateTable('downloads')
      .set({ completedAt: clock.now() })
      .where('id', '=', note.id)
      .executeTakeFirstOrThrow();
    note.completed = numUpdatedRows > 0n;
  }

  async returnPlace(): Promise<void> {
    const note = this.#pickOpen();
    if (!note) return;
    const given = await transaction(this.server.context.db, async (trx) => {
      const row = await trx
        .deleteFrom('downloads')
        .where('id', '=', note.id)
        .returningAll()
        .executeTakeFirst();
      if (row) await uncountDownload(trx, row);
      return row;
    });
    if (given) this.notes = this.notes.filter((each) => each !== note);
  }

  async count(): Promise<void> {
    const times = this.random.between(1, 3);
    await Promise.all(Array.from({ length: times }, () => countAll(this.server.context, { signal: NEVER })));
  }

  /** Counts, but fails in the middle of a query like a killed process. */
  async countAndFail(): Promise<void> {
    const { context } = this.server;
    const failing: KyselyPlugin = {
      transformQuery: ({ node }) => {
        left -= 1;
        if (left === 0) throw new Error('killed');
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    let left = this.random.between(1, 15);
    await countAll({ ...context, db: context.db.withPlugin(failing) }, { signal: NEVER }).catch(
      (error: Error) => assert.equal(error.message, 'killed'),
    );
  }

  async wait(): Promise<void> {
    const { clock } = this.server;
    clock.advance(this.pick([MINUTE_MS, 14 * MINUTE_MS, HOUR_MS, 7 * HOUR_MS, 9 * DAY_MS, -3 * HOUR_MS]));
    await renewSessions(this.server);
  }

  /** Deletes a transfer with all its rows; its events stay in the owner’s totals. */
  async deleteTransfer(): Promise<void> {
    const transfer = this.transfers.shift()!;
    await this.owner.call(deleteTransfer, { params: { id: transfer.id } });
    await this.server.drainJobs();
    const { db } = this.server.context;
    assert.deepEqual(
      await db.selectFrom('transfers').select('id').where('id', '=', transfer.id).execute(),
      [],
    );
    await this.send();
  }

  async check(): Promise<void> {
    const now = this.server.clock.now();
    const range = { from: dayOf(now - (DAYS - 1) * DAY_MS), to: dayOf(now) };
    const query = { days: String(DAYS) };
    for (const { id, files } of this.transfers) {
      const report = await this.owner.call(getTransferAnalytics, { params: { id }, query });
      const its = this.#notesIn(range).filter(({ transferId }) => transferId === id);
      assert.deepEqual(simplify(report), expectCounts(its));
      const expectedFiles = files.map((file) => ({
        id: file.id,
        name: file.relativePath,
        downloads: its.filter(({ fileIds }) => fileIds.includes(file.id)).length,
      }));
      assert.deepEqual(report.files, expectedFiles);
    }
    const { transfers, ...report } = await this.owner.call(getAnalytics, { query });
    const all = this.#notesIn(range);
    assert.deepEqual(simplify(report), expectCounts(all));
    const living = new Set(this.transfers.map(({ id }) => id));
    const expected = Map.groupBy(all, ({ transferId }) => transferId);
    assert.deepEqual(
      transfers.map((transfer) => describe(transfer.id, transfer)).toSorted(),
      [...expected]
        .filter(([id]) => living.has(id))
        .map(([id, its]) => describe(id, sum(its)))
        .toSorted(),
    );
  }

  #notesIn({ from, to }: Range): Note[] {
    return this.notes.filter(({ at }) => dayOf(at) >= from && dayOf(at) <= to);
  }
}
