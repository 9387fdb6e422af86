import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { FileArchive } from 'lucide-react';
import { useEffect, useState } from 'react';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { getTransfer, listTransfers, type Transfer } from '../../../../contracts/transfers/transfers.ts';
import { transferPage } from '../../../../contracts/values/addresses/pages.ts';
import { countOf } from '../../../../contracts/values/format.ts';
import { call } from '../../../api/call.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { useReadableTransfers } from '../../../key-ring/readable-transfers.ts';
import { useKeys } from '../../../key-ring/use-keys.ts';
import { type Command, fold } from './commands.ts';

const SEARCH_FROM_LENGTH = 2;
const SHOWN_TRANSFERS = 6;
const DEBOUNCE_MS = 250;
const FRESH_MS = 30_000;

/**
 * The user's transfers whose title, message, recipients or files match. The server does not know the names of encrypted
 * ones, which are found by those that this browser has with their keys.
 */
export function useFoundTransfers(text: string) {
  const search = useDebounced(text.trim());
  const isEnabled = search.length >= SEARCH_FROM_LENGTH;
  const { data, isFetching, isError } = useQuery({
    ...queryOf(listTransfers, { query: { search, limit: SHOWN_TRANSFERS } }),
    enabled: isEnabled,
    staleTime: FRESH_MS,
  });
  const encrypted = useEncryptedTransfers(isEnabled ? search : undefined);
  const known = new Set(encrypted.found.map(({ id }) => id));
  const found: Transfer[] = [...encrypted.found, ...(data ?? []).filter(({ id }) => !known.has(id))];
  const named = useReadableTransfers(isEnabled ? found.slice(0, SHOWN_TRANSFERS) : undefined);
  const isWaiting = text.trim().length >= SEARCH_FROM_LENGTH && search !== text.trim();
  return {
    found: named?.map(toTransferCommand) ?? [],
    isSearching: isWaiting || (isEnabled && (isFetching || encrypted.isFetching)),
    hasFailed: isEnabled && isError,
  };
}

function useEncryptedTransfers(search: string | undefined) {
  const keys = useKeys(search !== undefined);
  const wanted = search === undefined ? [] : fold(search).split(/\s+/);
  const ids = [...(keys?.values() ?? [])]
    .filter(({ isDraft, title, firstFileName }) => {
      const name = fold(`${title ?? ''} ${firstFileName ?? ''}`);
      return !isDraft && wanted.length > 0 && wanted.every((word) => name.includes(word));
    })
    .slice(0, SHOWN_TRANSFERS)
    .map(({ transferId }) => transferId);
  const { data, isFetching } = useQuery({
    queryKey: ['found-encrypted', ids],
    queryFn: async () => {
      // Keys outlive their transfers.
      const found = ids.map((id) =>
        call(getTransfer, { params: { id }, query: { firstFiles: 1 } }).catch(() => undefined),
      );
      return (await Promise.all(found)).filter((transfer) => transfer !== undefined);
    },
    enabled: ids.length > 0,
    staleTime: FRESH_MS,
  });
  return { found: ids.length > 0 ? (data ?? []) : [], isFetching };
}

function toTransferCommand(transfer: Transfer): Command {
  return {
    id: transfer.id,
    label: nameTransfer(transfer),
    detail: countOf(transfer.fileCount, 'file'),
    group: t`Transfers`,
    icon: FileArchive,
    path: transferPage(transfer.id),
  };
}

function useDebounced(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
