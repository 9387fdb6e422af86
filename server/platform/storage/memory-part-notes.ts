import type { PartNote, PartNotes } from './part-notes.ts';

/** Notes in memory, for tests of the store: they outlive the store's instance, as a database would. */
export function memoryPartNotes(): PartNotes {
  const multiparts = new Map<string, string>();
  const parts = new Map<string, Map<number, PartNote>>();
  return {
    async saveMultipart(storageKey, multipartId) {
      multiparts.set(storageKey, multipartId);
    },
    async findMultipart(storageKey) {
      return multiparts.get(storageKey);
    },
    async savePart(storageKey, part) {
      const ofBlob = parts.get(storageKey) ?? new Map<number, PartNote>();
      parts.set(storageKey, ofBlob.set(part.index, { ...part }));
    },
    async listParts(storageKey) {
      return [...(parts.get(storageKey)?.values() ?? [])].sort((a, b) => a.index - b.index);
    },
    async removePart(storageKey, index) {
      parts.get(storageKey)?.delete(index);
    },
    async clear(storageKey) {
      multiparts.delete(storageKey);
      parts.delete(storageKey);
    },
  };
}
