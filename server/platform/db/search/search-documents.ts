import type { Generated } from 'kysely';

export type SearchKind = 'transfers' | 'users' | 'mails' | 'auditLog';

/** On SQLite only, like the full-text tables `search_<kind>`, whose row id is the document. */
export type SearchTables = {
  /** Rows changed since they were indexed, recorded by triggers. */
  searchPending: { kind: SearchKind; id: string };
  searchDocuments: { document: Generated<number>; kind: SearchKind; id: string };
  searchProgress: { kind: SearchKind; afterId: string; isComplete: number };
};

/** Marks a document whose text is too long to index. Every search returns it. */
export const ANY_TEXT = '\u0001\u0001\u0001';

/**
 * Folds case more coarsely than any engine does, for example İ and ı to i. What an engine finds contained in a text is
 * still contained after folding both.
 */
export function foldForIndex(text: string): string {
  return (
    text
      .toWellFormed()
      .toLowerCase()
      .toUpperCase()
      .toLowerCase()
      // Only at the end of a word does Σ become ς. İ becomes i and a combining dot.
      .replaceAll('ς', 'σ')
      .replaceAll('\u0307', '')
      // A zero ends a text in SQLite; \u0001 is part of ANY_TEXT.
      .replaceAll('\0', ' ')
      .replaceAll('\u0001', ' ')
  );
}
