import { SECOND_MS } from '../../contracts/values/durations.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { OperatorContext } from '../../server/context.ts';
import {
  findItem,
  findStagedBlobs,
  type ImportRow,
  importAccount,
  importTransfer,
  joinAccount,
} from '../../server/features/imports/index.ts';
import { isUniqueViolation } from '../../server/platform/db/engines/errors.ts';
import type { Tier } from '../../server/platform/db/schema/column-types.ts';
import { type AccountOptions, AccountPlanner } from './accounts.ts';
import { copyFiles, type FileToCopy } from './copy-files.ts';
import { StoredFiles } from './reading/stored-files.ts';
import type { ImportReport } from './report.ts';
import { convertShare, findShareProblem, inspectFiles, isExpired, type ReadableFile } from './shares.ts';
import type { Source, SourceShare, SourceUser } from './source.ts';

const PROGRESS_EVERY_MS = 5 * SECOND_MS;

export type ImportOrder = {
  context: OperatorContext;
  source: Source;
  /** Undefined if nothing was imported from this installation yet; needed unless it is a rehearsal. */
  record: ImportRow | undefined;
  accounts: AccountOptions;
  tier: Tier;
  /** Gets the shares that nobody owns. */
  heir: string | undefined;
  report: ImportReport;
  progress: (line: string) => void;
};

/** Stands for an account that a rehearsal would create. */
const PLANNED = 'planned';

/** Imports users, then one share after the other. A rehearsal reads the same and writes nothing. */
export class ImportRun {
  readonly #order: ImportOrder;
  readonly #isRehearsal: boolean;
  readonly #stored: StoredFiles;
  /** Our account of each of their users; undefined for one that was skipped. */
  readonly #owners = new Map<string, string | undefined>();
  #progressAt: number;
  #copiedBytes = 0;

  constructor(order: ImportOrder) {
    this.#order = order;
    this.#isRehearsal = order.accounts.isRehearsal;
    this.#stored = new StoredFiles(order.source.filesFolder);
    this.#progressAt = order.context.clock.now();
  }

  async run(): Promise<void> {
    const { source, context, accounts, report } = this.#order;
    const planner = new AccountPlanner(context, accounts);
    for (const user of source.users()) {
      report.counts.users.found += 1;
      if ('unreadable' in user) this.#skipUser(user.id, { label: user.id, reason: user.unreadable });
      else await this.#importUser(user, planner);
    }
    for (const share of source.shares()) {
      report.counts.shares.found += 1;
      if ('unreadable' in share) this.#skipShare(share.id, { label: share.id, reason: share.unreadable });
      else await this.#importShare(share);
      this.#showProgress();
    }
  }

  async #importUser(user: SourceUser, planner: AccountPlanner): Promise<void> {
    const { context, record, report, tier } = this.#order;
    const { users } = report.counts;
    const sourceId = user.id;
    if (await this.#isKnownUser(user, planner)) return;
    const plan = await planner.plan(user);
    const label = user.username;
    if (plan.kind === 'skip') {
      this.#skipUser(sourceId, { label, reason: plan.reason });
      return;
    }
    if (plan.kind === 'join') {
      if (!this.#isRehearsal) await joinAccount(context, record!.id, { sourceId, userId: plan.userId });
      users.joined += 1;
      report.addNote('user', { id: sourceId, label, reason: plan.note });
      this.#owners.set(sourceId, plan.userId);
      return;
    }
    const { account, isInactive, notes } = plan;
    const userId = this.#isRehearsal ? PLANNED : await importAccount(context, record!.id, { account, tier });
    if (userId === undefined) {
      // Perhaps by another run of the same import.
      if (await this.#isKnownUser(user, planner)) return;
      this.#skipUser(sourceId, { label, reason: 'the username or address was taken while it was imported' });
      return;
    }
    users.created += 1;
    if (isInactive) users.inactive += 1;
    if (account.isAdmin) users.administrators += 1;
    for (const reason of notes) report.addNote('user', { id: sourceId, label, reason });
    this.#owners.set(sourceId, userId);
  }

  async #isKnownUser(user: SourceUser, planner: AccountPlanner): Promise<boolean> {
    const { context, record, report } = this.#order;
    const item = record && { importId: record.id, kind: 'user' as const, sourceId: user.id };
    const known = item && (await findItem(context.db, item));
    if (!known) return false;
    report.counts.users.alreadyImported += 1;
    planner.reserve(user);
    this.#owners.set(user.id, known.targetId);
    return true;
  }

  #skipUser(id: string, { label, reason }: { label: string; reason: string }): void {
    const { report } = this.#order;
    report.counts.users.skipped += 1;
    report.addProblem('user', { id, label, reason });
    this.#owners.set(id, undefined);
  }

  async #importShare(share: SourceShare): Promise<void> {
    const { context, record, report } = this.#order;
    const { shares, files } = report.counts;
    const now = context.clock.now();
    const key = { kind: 'transfer', sourceId: share.id } as const;
    if (record && (await findItem(context.db, { importId: record.id, ...key }))) {
      shares.alreadyImported += 1;
      return;
    }
    if (isExpired(share, now)) {
      shares.expired += 1;
      return;
    }
    const problem = findShareProblem(share);
    const owner = problem ? { problem } : this.#findOwner(share);
    if ('problem' in owner) {
      this.#skipShare(share.id, { label: share.label, reason: owner.problem });
      return;
    }
    const converted = await convertShare(share, {
      ownerId: owner.userId,
      isRehearsal: this.#isRehearsal,
      now,
    });
    if (!converted) {
      const reason = 'its password cannot be kept, and without it anybody could open it';
      this.#skipShare(share.id, { label: share.label, reason });
      return;
    }
    const { readable, problems } = await inspectFiles(share, { stored: this.#stored, now });
    files.found += share.files.length;
    for (const { file, reason } of problems)
      this.#skipFile(`${share.id}/${file.id}`, { label: `${share.label}: ${file.path}`, reason });
    const imported = this.#isRehearsal ? readable : await this.#storeShare(share, { converted, readable });
    if (imported === undefined) return;
    if (imported.length === 0) {
      this.#skipShare(share.id, { label: share.label, reason: 'none of its files can be imported' });
      return;
    }
    shares.imported += 1;
    files.imported += imported.length;
    report.counts.bytes += imported.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const reason of converted.notes)
      report.addNote('share', { id: share.id, label: share.label, reason });
  }

  #findOwner({ ownerId }: SourceShare): { userId: string } | { problem: string } {
    const { heir } = this.#order;
    const userId = ownerId === null ? undefined : this.#owners.get(ownerId);
    if (userId !== undefined) return { userId };
    if (ownerId !== null && this.#owners.has(ownerId)) return { problem: 'its owner was not imported' };
    return heir === undefined
      ? { problem: 'nobody owns it; choose an account with --owner' }
      : { userId: heir };
  }

  /** Returns the files that were imported; undefined if the share was skipped or another run was faster. */
  async #storeShare(
    share: SourceShare,
    {
      converted,
      readable,
    }: { converted: NonNullable<Awaited<ReturnType<typeof convertShare>>>; readable: ReadableFile[] },
  ): Promise<ReadableFile[] | undefined> {
    const { context, record, report } = this.#order;
    const importId = record!.id;
    const blobs = await this.#stage(importId, readable);
    const whole = readable.filter(({ sourceId }) => blobs.has(sourceId));
    if (whole.length === 0) return whole;
    try {
      const done = await importTransfer(context, importId, {
        sourceId: share.id,
        transfer: converted.transfer,
        addresses: share.addresses,
        files: whole.map(({ sourceId, originalName, relativePath, mimeType, uploadedAt }) => ({
          blob: blobs.get(sourceId)!,
          originalName,
          relativePath,
          mimeType,
          uploadedAt,
        })),
      });
      if (!done) {
        this.#skipShare(share.id, { label: share.label, reason: "its owner's account was deleted" });
        return undefined;
      }
      if (done.takenAddresses.length > 0)
        report.addProblem('share', {
          id: share.id,
          label: share.label,
          reason: `only its old address /${done.takenAddresses.join(', /')}, which leads to another share already`,
        });
      return whole;
    } catch (error) {
      if (!isUniqueViolation(error, 'importedItems.importId.kind.sourceId')) throw error;
      report.counts.shares.alreadyImported += 1;
      return undefined;
    }
  }

  /** Blobs that an interrupted run has stored are used again. */
  async #stage(importId: string, readable: ReadableFile[]) {
    const { context } = this.#order;
    const sourceIds = readable.map(({ sourceId }) => sourceId);
    const blobs = await findStagedBlobs(context.db, { importId, sourceIds });
    const missing = readable.filter(({ sourceId }) => !blobs.has(sourceId));
    const labels = new Map(missing.map(({ sourceId, label }) => [sourceId, label]));
    const copying = {
      context,
      importId,
      stored: this.#stored,
      onCopied: (bytes: number) => {
        this.#copiedBytes += bytes;
        this.#showProgress();
      },
      onProblem: ({ sourceId }: FileToCopy, reason: string) =>
        this.#skipFile(sourceId, { label: labels.get(sourceId)!, reason }),
    };
    for (const blob of await copyFiles(copying, missing)) blobs.set(blob.sourceId, blob);
    return blobs;
  }

  #skipShare(id: string, { label, reason }: { label: string; reason: string }): void {
    const { report } = this.#order;
    report.counts.shares.skipped += 1;
    report.addProblem('share', { id, label, reason });
  }

  #skipFile(id: string, { label, reason }: { label: string; reason: string }): void {
    const { report } = this.#order;
    report.counts.files.skipped += 1;
    report.addProblem('file', { id, label, reason });
  }

  #showProgress(): void {
    const { context, progress, report } = this.#order;
    if (context.clock.now() - this.#progressAt < PROGRESS_EVERY_MS) return;
    this.#progressAt = context.clock.now();
    const { found } = report.counts.shares;
    progress(`${found} shares so far, ${formatSize(this.#copiedBytes)} copied`);
  }
}
