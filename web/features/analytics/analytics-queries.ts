import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getAnalytics, getTransferAnalytics } from '../../../contracts/analytics.ts';
import { getTransfer } from '../../../contracts/transfers/transfers.ts';
import { queryOf } from '../../api/endpoint-query.ts';

/** Keeps the previous numbers while another range loads; refetches when the page is opened. */
const LIVE = { refetchOnMount: 'always', placeholderData: keepPreviousData } as const;

/** Analytics over all transfers. `isEnabled`: whether the plan includes it. */
export function useAnalytics(days: number, isEnabled: boolean) {
  return useQuery({
    ...queryOf(getAnalytics, { query: { days } }),
    enabled: isEnabled,
    ...LIVE,
  });
}

export function useTransferAnalytics(id: string, days: number, isEnabled: boolean) {
  return useQuery({
    ...queryOf(getTransferAnalytics, { params: { id }, query: { days } }),
    enabled: isEnabled,
    ...LIVE,
  });
}

export function useAnalysedTransfer(id: string) {
  return useQuery({
    ...queryOf(getTransfer, { params: { id } }),
    refetchOnMount: 'always',
  });
}
