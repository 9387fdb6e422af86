/** What drop-script.ts loads before it needs it. */
export { keepFiles } from '../../lib/browser/kept-files.ts';
export { pickWithHandles, readDropped, readFileList } from '../../uploading/files/picked-files.ts';
