import { plural, t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { nameTransfer } from '../../contracts/transfers/names.ts';
import type { Transfer } from '../../contracts/transfers/transfers.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import { loadPersistently } from '../lib/loading/load-persistently.ts';
import type { OwnKey } from './own-keys.ts';
import type { ReceivedTransfer } from './received-keys.ts';
import { useKeyRing, useKeys } from './use-keys.ts';

type Named = Pick<Transfer, 'id' | 'title' | 'firstFileName' | 'fileCount'> & {
  /** Null for a transfer that is not encrypted. */
  encryption: unknown;
  /** Some lists don't have these. */
  totalSize?: number;
  receivedKey?: Transfer['receivedKey'];
};

/** Names encrypted transfers as far as this browser has their keys: the server does not know the names. */
export function useReadableTransfers<T extends Named>(transfers: T[] | undefined): T[] | undefined {
  const isNeeded = transfers?.some(({ encryption }) => encryption !== null) ?? false;
  const keys = useKeys(isNeeded);
  useReceivedKeys(transfers?.filter(isReceived));
  return useMemo(
    () => transfers?.map((transfer) => nameByKey(transfer, keys?.get(transfer.id))),
    [transfers, keys],
  );
}

function isReceived<T extends Named>(transfer: T): transfer is T & ReceivedTransfer {
  return transfer.receivedKey != null;
}

function nameByKey<T extends Named>(transfer: T, kept: OwnKey | undefined): T {
  if (!transfer.encryption) return transfer;
  const { fileCount, totalSize } = transfer;
  if (kept?.title || kept?.firstFileName) {
    const { title, firstFileName = null } = kept;
    // Without a title, the transfer would be named as one whose names nobody here knows.
    return { ...transfer, title: nameTransfer({ title, firstFileName, fileCount }), firstFileName };
  }
  if (totalSize === undefined) return transfer;
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
    (await loadPersistently(() => import('./received-keys.ts'))).openReceivedKeys(owner, closed),
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
