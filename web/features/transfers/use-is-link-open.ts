import type { Transfer } from '../../../contracts/transfers/transfers.ts';
import { useIsPast } from '../../lib/time/use-is-past.ts';
import { useIsExpired } from './transfer-badges.tsx';

/** Whether the link lets everybody download now, without a password. Owners download through it, too. */
export function useIsLinkOpen(transfer: Transfer): boolean {
  const { isPasswordProtected, isLimitReached, scheduledAvailableAt, isTakenDown, scanState } = transfer;
  const isExpired = useIsExpired(transfer);
  const isAvailable = useIsPast(scheduledAvailableAt) || scheduledAvailableAt === null;
  const isScanned = scanState === null || scanState === 'partial';
  return isAvailable && isScanned && !isExpired && !isPasswordProtected && !isLimitReached && !isTakenDown;
}
