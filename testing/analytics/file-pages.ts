import { listDownloadFiles, viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import { fetchPages, readNextCursor } from '../../contracts/values/paging.ts';
import type { Client } from '../calls/client.ts';

export async function listAllFiles(client: Client, token: string): Promise<TransferFile[]> {
  const { files = [], nextFiles } = await client.call(viewDownload, { params: { token } });
  for await (const page of fetchPages(nextFiles, (cursor) => fetchFilesPage(client, token, cursor)))
    files.push(...page);
  return files;
}

export async function fetchFilesPage(client: Client, token: string, cursor: string) {
  const path = listDownloadFiles.path.replace(':token', token);
  const response = await client.fetch(`${path}?cursor=${cursor}`);
  const items = listDownloadFiles.response.parse(await response.json());
  return { items, nextCursor: readNextCursor(response.headers.get('link')) };
}
