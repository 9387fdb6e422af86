import { plural, t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { Transfer } from '../../contracts/transfers/transfers.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { OwnKey } from './own-keys.ts';
import type { ReceivedTransfer } from './received-keys.ts';
import { useKeyRing, useKeys } from './use-keys.ts';

type Named = ReceivedTransfer & Pick<Transfer, 'title' | 'firstFileName' | 'fileCount' | 'totalSize'>;

/** Names encrypted transfers as far as this browser has their keys: the server does not know the names. */
export function useReadableTransfers<T extends Named>(transfers: T[] | undefined): T[] | undefined {
  const isNeeded = transfers?.some(({ encryption }) => encryption !== null) ?? false;
  const keys = useKeys(isNeeded);
  useReceivedKeys(transfers);
  return useMemo(
    () => transfers?.map((transfer) => nameByKey(transfer, keys?.get(transfer.id))),
    [transfers, keys],
  );
}

function nameByKey<T extends Named>(transfer: T, kept: OwnKey | undefined): T {
  if (!transfer.encryption) return transfer;
  if (kept?.title || kept?.firstFileName)
    return { ...transfer, title: kept.title ?? null, firstFileName: kept.firstFileName ?? null };
  const { fileCount, totalSize } = transfer;
  const files = plural(fileCount, { one: '# file', other: '# files' });
  return { ...transfer, title: t`Encrypted, ${files}, ${formatSize(totalSize)}` };
}

/**
 * Opens the keys of received transfers as far as this browser can. Of the others, says why not; undefined while it is
 * not known.
 */
export function useReceivedKeys(transfers: readonly ReceivedTransfer[] | undefined) {
  const received = transfers?.filter(({ receivedKey }) => receivedKey !== null) ?? [];
  const keys = useKeys(received.length > 0);
  const closed = received.filter(({ id }) => keys !== undefined && !keys.has(id));
  const name = `received ${closed.map(({ id }) => id).join(' ')}`;
  return useKeyRing(name, closed.length > 0, async (owner) =>
    (await import('./received-keys.ts')).openReceivedKeys(owner, closed),
  );
}

/** The link for recipients, with the key of an encrypted transfer; undefined if this browser doesn't have it. */
export function useWholeLink({ id, token, encryption }: Pick<Transfer, 'id' | 'token' | 'encryption'>) {
  const keys = useKeys(encryption !== null);
  const kept = keys?.get(id);
  return encryption
    ? { key: kept?.key, link: kept?.linkTo(token), isLoading: keys === undefined }
    : undefined;
}
