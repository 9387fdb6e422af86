import type { Context } from '../../context.ts';
import { AppError } from '../../platform/lib/app-error.ts';

/** Throws AppError `payments_off` on an installation that sells nothing (PAYMENTS=off). */
export function requireSales({ payments }: Pick<Context, 'payments'>): void {
  if (payments.name === 'off') throw new AppError('payments_off');
}
