import { type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import { ApiError } from '../../client/api-error.ts';
import {
  findRecord,
  keepOnlyRecords,
  type ResumeRecord,
  removeRecord,
  type UploadScope,
} from './resume-records.ts';
import { listHeldTransfers, waitUntilReleased } from './transfer-hold.ts';
import { groupUnfinished, type UnfinishedTransfer } from './unfinished-transfers.ts';
import type { UploadTransport } from './upload-transport.ts';

const NONE: UnfinishedTransfer[] = [];

async function loadUnfinished(transport: UploadTransport, scope: UploadScope): Promise<UnfinishedTransfer[]> {
  const askedAt = Date.now();
  const [uploads, heldElsewhere] = await Promise.all([transport.listUnfinished(), listHeldTransfers()]);
  const transferIds = new Set(uploads.map(({ transferId }) => transferId));
  void keepOnlyRecords({ scope, transferIds, askedAt });
  const records = await Promise.all([...transferIds].map(findRecord));
  return groupUnfinished(uploads, {
    records: new Map(records.filter((each) => each !== undefined).map(toEntry)),
    heldElsewhere,
  });
}

function toEntry(record: ResumeRecord): [string, ResumeRecord] {
  return [record.transferId, record];
}

export type Unfinished = {
  transfers: UnfinishedTransfer[];
  /** Takes one off the list: it goes on, or is over. */
  forget(transferId: string): void;
  /** Deletes it on the server and here. Throws ApiError. */
  discard(transfer: UnfinishedTransfer): Promise<void>;
};

type UnfinishedInput = {
  transport: UploadTransport;
  scope?: UploadScope;
  joins?: string | undefined;
};

/**
 * What earlier visits, other tabs and other devices left unfinished; looked up when the page opens, and again
 * when another window stops sending one of them. With `joins` only what is to join that transfer.
 */
export function useUnfinished({ transport, scope = '', joins }: UnfinishedInput): Unfinished {
  const client = useQueryClient();
  const queryKey = useMemo(() => ['/api/uploads', scope], [scope]);
  // Every visit looks anew: what was unfinished a minute ago may be through.
  const { data = NONE } = useQuery({
    queryKey,
    queryFn: () => loadUnfinished(transport, scope),
    staleTime: 0,
    gcTime: 0,
  });
  const transfers = useMemo(
    () => (joins ? data.filter(({ transferId }) => transferId === joins) : data),
    [data, joins],
  );
  const forget = useCallback(
    (transferId: string) =>
      client.setQueryData<UnfinishedTransfer[]>(queryKey, (list) =>
        list?.filter((each) => each.transferId !== transferId),
      ),
    [client, queryKey],
  );
  const discard = useCallback(
    async (transfer: UnfinishedTransfer) => {
      await discardOnServer(transport, transfer);
      await removeRecord(transfer.transferId);
      forget(transfer.transferId);
    },
    [forget, transport],
  );
  useReleases(transfers, queryKey);
  return { transfers, forget, discard };
}

/** Looks again as soon as a window that was sending has closed or is through. */
function useReleases(transfers: UnfinishedTransfer[], queryKey: QueryKey): void {
  const client = useQueryClient();
  useEffect(() => {
    const busy = transfers.filter(({ isElsewhere }) => isElsewhere);
    const stop = new AbortController();
    const look = () => void client.invalidateQueries({ queryKey });
    for (const { transferId } of busy) waitUntilReleased(transferId, stop.signal).then(look, () => {});
    return () => stop.abort();
  }, [transfers, client, queryKey]);
}

/** A draft goes as a whole; a transfer that others have already stays, without what was to join it. */
async function discardOnServer(
  transport: UploadTransport,
  { transferId, addsTo, uploads }: UnfinishedTransfer,
): Promise<void> {
  const uploadIds = uploads.map(({ uploadId }) => uploadId);
  if (!addsTo) return transport.discard(transferId, uploadIds);
  await Promise.all(uploadIds.map((uploadId) => transport.abort(uploadId).catch(ignoreGone)));
}

function ignoreGone(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 404)) throw error;
}
