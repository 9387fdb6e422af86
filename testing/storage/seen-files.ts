import { viewDownload } from '../../contracts/transfers/downloads/downloads.ts';
import type { TransferFile } from '../../contracts/transfers/transfers.ts';
import { createReadyTransfer, type ReadyTransfer } from '../factories.ts';
import type { TestServer } from '../test-context.ts';

type NewTransfer = Parameters<typeof createReadyTransfer>[1];

/** Creates a ready transfer, views it once and runs the jobs, so that its files have previews and thumbnails. */
export async function createSeenTransfer(server: TestServer, transfer: NewTransfer): Promise<ReadyTransfer> {
  const ready = await createReadyTransfer(server.context, transfer);
  await server.anonymous().call(viewDownload, { params: { token: ready.token } });
  await server.drainJobs();
  return ready;
}

/** Preview and thumbnail of each file on the download page, by file name. */
export async function listSeen(
  server: TestServer,
  token: string,
): Promise<Record<string, Pick<TransferFile, 'preview' | 'thumbnail'>>> {
  const view = await server.anonymous().call(viewDownload, { params: { token } });
  const files = view.files ?? [];
  return Object.fromEntries(
    files.map(({ originalName, preview, thumbnail }) => [originalName, { preview, thumbnail }]),
  );
}
