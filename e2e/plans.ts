import { DEFAULT_TIER_CONFIG, type TierLimits, type TierName } from '../contracts/plans/tiers.ts';
import type { JourneyServer } from './journey-server.ts';

type Changes = Partial<Record<TierName, Partial<TierLimits & { price: number }>>>;

/** Changes numbers of the plans as an administrator would; the next request sees them. */
export function changePlans(server: JourneyServer, changes: Changes): void {
  const { free, pro, premium } = DEFAULT_TIER_CONFIG;
  const config = {
    free: { ...free, ...changes.free },
    pro: { ...pro, ...changes.pro },
    premium: { ...premium, ...changes.premium },
  };
  server.withDatabase((database) =>
    database
      .prepare('INSERT INTO settings (id, key, value, "updatedAt") VALUES (?, ?, ?, ?)')
      .run('plans', 'tier-config', JSON.stringify(config), Date.now()),
  );
}
