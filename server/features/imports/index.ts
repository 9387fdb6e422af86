export { type ImportedAccount, importAccount, joinAccount } from './accounts.ts';
export { oldAddress } from './addresses.ts';
export {
  findImport,
  findItem,
  findStagedBlobs,
  type ImportRow,
  insertOrFindImport,
  insertStagedBlobs,
  listImports,
  type StagedBlob,
} from './queries.ts';
export { type ImportedFile, type ImportedShare, importTransfer } from './transfers.ts';
export { type Kept, undoImport } from './undo.ts';
