import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { findRecord, keepOnlyRecords, type ResumeRecord, removeRecord } from './resume-records.ts';
import { listHeldTransfers } from './transfer-hold.ts';
import { groupUnfinished, type UnfinishedTransfer } from './unfinished-transfers.ts';
import { transport } from './use-upload.ts';

const UNFINISHED_KEY = ['/api/uploads'];
const NONE: UnfinishedTransfer[] = [];

async function loadUnfinished(): Promise<UnfinishedTransfer[]> {
  const askedAt = Date.now();
  const [uploads, heldElsewhere] = await Promise.all([transport.listUnfinished(), listHeldTransfers()]);
  const transferIds = new Set(uploads.map(({ transferId }) => transferId));
  void keepOnlyRecords(transferIds, askedAt);
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
  discard(transferId: string): Promise<void>;
};

/** What earlier visits, other tabs and other devices left unfinished; looked up when the page opens. */
export function useUnfinished(): Unfinished {
  const client = useQueryClient();
  // Every visit looks anew: what was unfinished a minute ago may be through.
  const { data = NONE } = useQuery({
    queryKey: UNFINISHED_KEY,
    queryFn: loadUnfinished,
    staleTime: 0,
    gcTime: 0,
  });
  const forget = useCallback(
    (transferId: string) =>
      client.setQueryData<UnfinishedTransfer[]>(UNFINISHED_KEY, (list) =>
        list?.filter((each) => each.transferId !== transferId),
      ),
    [client],
  );
  const discard = useCallback(
    async (transferId: string) => {
      await transport.discard(transferId);
      await removeRecord(transferId);
      forget(transferId);
    },
    [forget],
  );
  return { transfers: data, forget, discard };
}
