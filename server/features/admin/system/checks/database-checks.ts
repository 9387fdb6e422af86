import { DAY_MS, SECOND_MS } from '../../../../../contracts/values/durations.ts';
import { formatCount } from '../../../../../contracts/values/format.ts';
import type { Context } from '../../../../context.ts';
import { probeDatabase } from '../../../../platform/db/probe.ts';
import { findLastBackup } from '../../../../platform/db/settings.ts';
import { toIso } from '../../../../platform/lib/clock.ts';
import type { Check, Finding } from './check.ts';

const BEARABLE_SKEW_MS = 5 * SECOND_MS;
const PUBLIC_TIMEOUT_MS = 5 * SECOND_MS;
const OLD_BACKUP_DAYS = 7;
const BACKUP_FIX = 'Run the backup command each night, and see docs/self-hosting/backup.md for other ways.';

export function checkDatabase({ db, config }: Pick<Context, 'db' | 'config'>): Check {
  return {
    name: 'database',
    title: 'Database',
    run: async () => {
      const { engine } = await probeDatabase(db);
      return { state: 'ok', found: `${engine}: writing and reading work.` };
    },
    fixOf: () =>
      config.databaseUrl
        ? 'See that the PostgreSQL server of DATABASE_URL runs, has room on its disk, and lets this user write.'
        : `Let the server's user write ${config.dataDir}, and see that its disk has room.`,
  };
}

/** Codes, sessions and expiry depend on the clock, so the check compares it with every other clock it can reach. */
export function checkClock({ db, clock, config }: Pick<Context, 'db' | 'clock' | 'config'>): Check {
  return {
    name: 'clock',
    title: 'Clock',
    run: async () => {
      const others = [
        { name: 'the database server', ...(await measureDatabaseSkew(db, clock)) },
        { name: config.publicUrl, ...(await measurePublicSkew(config, clock)) },
      ].filter((other) => other.skewMs !== undefined);
      if (others.length === 0) return { state: 'ok', found: 'There is no other clock to hold it against.' };
      return judge(others as { name: string; skewMs: number }[]);
    },
    fixOf: () => 'Let this machine keep its time by NTP (for example chrony or systemd-timesyncd).',
  };
}

function judge(others: { name: string; skewMs: number }[]): Finding {
  const worst = others.reduce((a, b) => (Math.abs(b.skewMs) > Math.abs(a.skewMs) ? b : a));
  const seconds = Math.round(Math.abs(worst.skewMs) / SECOND_MS);
  const names = others.map(({ name }) => name).join(' and ');
  if (Math.abs(worst.skewMs) <= BEARABLE_SKEW_MS) {
    return { state: 'ok', found: `Agrees with ${names}.` };
  }
  const direction = worst.skewMs > 0 ? 'ahead of' : 'behind';
  return {
    state: 'failed',
    found: `This machine is ${formatCount(seconds)} seconds ${direction} ${worst.name}.`,
    fix: 'Let this machine and that one keep their time by NTP (for example chrony or systemd-timesyncd).',
  };
}

type Skew = { skewMs: number | undefined };

async function measureDatabaseSkew(db: Context['db'], clock: Context['clock']): Promise<Skew> {
  const { now } = await probeDatabase(db);
  return { skewMs: now === undefined ? undefined : clock.now() - now };
}

/** Uses the Date header of the public address, because a proxy on another machine has its own clock. */
async function measurePublicSkew({ publicUrl }: Context['config'], clock: Context['clock']): Promise<Skew> {
  const date = await fetch(`${publicUrl}/healthz`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(PUBLIC_TIMEOUT_MS),
  }).then(
    async (answer) => {
      await answer.body?.cancel();
      return Date.parse(answer.headers.get('date') ?? '');
    },
    () => Number.NaN,
  );
  return { skewMs: Number.isNaN(date) ? undefined : clock.now() - date };
}

export function checkBackup({ db, clock }: Pick<Context, 'db' | 'clock'>): Check {
  return {
    name: 'backup',
    title: 'Backup',
    run: async () => {
      const now = clock.now();
      const last = await findLastBackup(db);
      if (last !== undefined) {
        const found = `The last backup was made ${toIso(last).slice(0, 16).replace('T', ' ')} UTC.`;
        return now - last > OLD_BACKUP_DAYS * DAY_MS
          ? { state: 'warning', found, fix: BACKUP_FIX }
          : { state: 'ok', found };
      }
      const { since } = await db
        .selectFrom('users')
        .select(({ fn }) => fn.min('createdAt').as('since'))
        .executeTakeFirstOrThrow();
      const isNew = since === null || now - Number(since) <= OLD_BACKUP_DAYS * DAY_MS;
      const found = 'No backup yet.';
      return isNew ? { state: 'ok', found } : { state: 'warning', found, fix: BACKUP_FIX };
    },
    fixOf: () => 'Check the database.',
  };
}
