import type { MultipartNote, PartNote, PartNotes } from './part-notes.ts';

/** They outlive the store instance, as in a database. */
export function memoryPartNotes(): PartNotes {
  const multiparts = new Map<string, MultipartNote>();
  const parts = new Map<string, Map<number, PartNote>>();
  const bound = new Map<string, Map<number, number>>();
  const clear = (storageKey: string) => {
    for (const notes of [multiparts, parts, bound]) notes.delete(storageKey);
  };
  return {
    async saveMultipart(storageKey, note) {
      const standing = multiparts.get(storageKey) ?? { ...note };
      multiparts.set(storageKey, standing);
      return standing;
    },
    async findMultipart(storageKey) {
      return multiparts.get(storageKey);
    },
    async deleteMultipart(storageKey, multipartId) {
      if (multiparts.get(storageKey)?.multipartId === multipartId) clear(storageKey);
    },
    async savePart(storageKey, part) {
      const ofBlob = parts.get(storageKey) ?? new Map<number, PartNote>();
      parts.set(storageKey, ofBlob.set(part.index, { ...part }));
    },
    async findPart(storageKey, index) {
      return parts.get(storageKey)?.get(index);
    },
    async listParts(storageKey) {
      return [...(parts.get(storageKey)?.values() ?? [])].sort((a, b) => a.index - b.index);
    },
    async removePart(storageKey, index) {
      parts.get(storageKey)?.delete(index);
    },
    async bindPart(storageKey, index, crc32) {
      const ofBlob = bound.get(storageKey) ?? new Map<number, number>();
      const standing = ofBlob.get(index) ?? crc32;
      bound.set(storageKey, ofBlob.set(index, standing));
      return standing;
    },
    async listBound(storageKey, indexes) {
      const ofBlob = bound.get(storageKey) ?? new Map<number, number>();
      return new Map([...ofBlob].filter(([index]) => indexes.includes(index)));
    },
    async clear(storageKey) {
      clear(storageKey);
    },
  };
}
