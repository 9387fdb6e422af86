import { plural, t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { nameTransfer } from '../../contracts/transfers/names.ts';
import type { Transfer } from '../../contracts/transfers/transfers.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { OwnKey } from './own-keys.ts';
import { useKeys } from './use-keys.ts';

type Named = Pick<Transfer, 'id' | 'title' | 'firstFileName' | 'fileCount'> & {
  /** Null for a transfer that is not encrypted. */
  encryption: unknown;
  /** Some lists don't have it. */
  totalSize?: number;
};

/** Names encrypted transfers as far as this browser has their keys: the server does not know the names. */
export function useReadableTransfers<T extends Named>(transfers: T[] | undefined): T[] | undefined {
  const isNeeded = transfers?.some(({ encryption }) => encryption !== null) ?? false;
  const keys = useKeys(isNeeded);
  return useMemo(
    () => transfers?.map((transfer) => nameByKey(transfer, keys?.get(transfer.id))),
    [transfers, keys],
  );
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

/** The link for recipients, with the key of an encrypted transfer; undefined if this browser doesn't have it. */
export function useWholeLink({ id, token, encryption }: Pick<Transfer, 'id' | 'token' | 'encryption'>) {
  const keys = useKeys(encryption !== null);
  const kept = keys?.get(id);
  return encryption
    ? { key: kept?.key, link: kept?.linkTo(token), isLoading: keys === undefined }
    : undefined;
}
