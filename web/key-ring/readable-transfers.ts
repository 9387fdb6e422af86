import { plural, t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { Transfer } from '../../contracts/transfers/transfers.ts';
import { formatSize } from '../../contracts/values/sizes.ts';
import type { OwnKey } from './own-keys.ts';
import { useKeys } from './use-keys.ts';

type Named = Pick<Transfer, 'id' | 'encryption' | 'title' | 'firstFileName' | 'fileCount' | 'totalSize'>;

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
  if (kept?.title || kept?.firstFileName)
    return { ...transfer, title: kept.title ?? null, firstFileName: kept.firstFileName ?? null };
  const { fileCount, totalSize } = transfer;
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
