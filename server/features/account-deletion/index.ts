export { deleteAccountAsAdmin } from './deletion.ts';
