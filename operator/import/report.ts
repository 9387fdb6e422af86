import { formatSize } from '../../contracts/values/sizes.ts';
import type { NotKept } from './source.ts';

export type ReportedKind = 'user' | 'share' | 'file';

export type Reported = { kind: ReportedKind; id: string; label: string; reason: string };

/** Of problems, and of notes. All are counted. */
const MAX_LISTED = 1_000;
const LABEL_MAX = 80;

export const EMPTY_COUNTS = {
  users: { found: 0, created: 0, joined: 0, alreadyImported: 0, skipped: 0, inactive: 0, administrators: 0 },
  shares: { found: 0, imported: 0, alreadyImported: 0, expired: 0, skipped: 0 },
  files: { found: 0, imported: 0, skipped: 0 },
  bytes: 0,
};
type Counts = typeof EMPTY_COUNTS;

/** What an import did, or in a rehearsal what it would do. */
export class ImportReport {
  readonly counts: Counts = structuredClone(EMPTY_COUNTS);
  readonly problems: Reported[] = [];
  /** Changes that the operator should know about, but nothing is missing. */
  readonly notes: Reported[] = [];
  readonly #onListed: (line: string) => void;
  #problemCount = 0;
  #noteCount = 0;

  constructor(onListed: (line: string) => void) {
    this.#onListed = onListed;
  }

  get hasProblems(): boolean {
    return this.#problemCount > 0;
  }

  addProblem(kind: ReportedKind, { id, label, reason }: Omit<Reported, 'kind'>): void {
    this.#problemCount += 1;
    const problem = { kind, id, label: toLabel(label), reason };
    if (this.problems.length === MAX_LISTED) return;
    this.problems.push(problem);
    this.#onListed(`Not imported: ${describe(problem)}`);
  }

  addNote(kind: ReportedKind, { id, label, reason }: Omit<Reported, 'kind'>): void {
    this.#noteCount += 1;
    if (this.notes.length === MAX_LISTED) return;
    const note = { kind, id, label: toLabel(label), reason };
    this.notes.push(note);
    this.#onListed(`Note: ${describe(note)}`);
  }

  toFacts(): Record<string, unknown> {
    const { problems, notes } = this;
    return {
      ...this.counts,
      problemCount: this.#problemCount,
      problems,
      noteCount: this.#noteCount,
      notes,
    };
  }

  describe({ isRehearsal, notKept }: { isRehearsal: boolean; notKept: NotKept[] }): string[] {
    const { users, shares, files, bytes } = this.counts;
    const done = isRehearsal ? 'to import' : 'imported';
    const known = (count: number) => (count > 0 ? `, ${count} imported before` : '');
    const unlisted = this.#problemCount - this.problems.length + this.#noteCount - this.notes.length;
    return [
      `Users: ${users.found} found, ${users.created} ${done}${known(users.alreadyImported)}, ${users.joined} have an account here, ${users.skipped} skipped.`,
      `       ${users.inactive} are inactive, ${users.administrators} become administrators.`,
      `Shares: ${shares.found} found, ${shares.imported} ${done}${known(shares.alreadyImported)}, ${shares.expired} expired, ${shares.skipped} skipped.`,
      `Files: ${files.found} in these shares, ${files.imported} ${done} (${formatSize(bytes)}), ${files.skipped} skipped.`,
      ...(unlisted > 0 ? [`${unlisted} further problems and notes are not listed.`] : []),
      ...notKept.map(({ what, count }) => `Not kept: ${what}: ${count}.`),
    ];
  }
}

function describe({ kind, id, label, reason }: Reported): string {
  return `${kind} ${label}${label === id ? '' : ` (${id})`}: ${reason}.`;
}

/** Names come from strangers: no control characters reach the terminal. */
function toLabel(label: string): string {
  const plain = label.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return plain.length > LABEL_MAX ? `${plain.slice(0, LABEL_MAX)}…` : plain || '(no name)';
}
