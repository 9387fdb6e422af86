import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getAnalytics, getTransferAnalytics } from '../../../contracts/analytics.ts';
import { getTransfer } from '../../../contracts/transfers/transfers.ts';
import { call } from '../../api/call.ts';

/** Keeps the previous numbers while another range loads; refetches when the page is opened. */
const LIVE = { refetchOnMount: 'always', placeholderData: keepPreviousData } as const;

/** Analytics over all transfers. `isEnabled`: whether the plan includes it. */
export function useAnalytics(days: number, isEnabled: boolean) {
  return useQuery({
    queryKey: [getAnalytics.path, days],
    queryFn: ({ signal }) => call(getAnalytics, { query: { days }, signal }),
    enabled: isEnabled,
    ...LIVE,
  });
}

export function useTransferAnalytics(id: string, days: number, isEnabled: boolean) {
  return useQuery({
    queryKey: [getTransferAnalytics.path, id, days],
    queryFn: ({ signal }) => call(getTransferAnalytics, { params: { id }, query: { days }, signal }),
    enabled: isEnabled,
    ...LIVE,
  });
}

export function useAnalysedTransfer(id: string) {
  return useQuery({
    queryKey: [getTransferAnalytics.path, id],
    queryFn: ({ signal }) => call(getTransfer, { params: { id }, signal }),
    refetchOnMount: 'always',
  });
}
