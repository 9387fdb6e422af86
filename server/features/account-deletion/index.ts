export { deleteAnyAccount } from './deletion.ts';
