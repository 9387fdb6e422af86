import type { Context } from '../../context.ts';
import { probeDatabase } from '../../platform/db/probe.ts';
import { SECOND_MS } from '../../platform/lib/clock.ts';
import type { Check, Finding } from './check-result.ts';

const BEARABLE_SKEW_MS = 5 * SECOND_MS;
const PUBLIC_TIMEOUT_MS = 5 * SECOND_MS;

export function checkDatabase({ db, config }: Pick<Context, 'db' | 'config'>): Check {
  return {
    name: 'database',
    title: 'Database',
    look: async () => {
      const { engine } = await probeDatabase(db);
      return { state: 'ok', found: `${engine}: writing and reading work.` };
    },
    fixOf: () =>
      config.databaseUrl
        ? 'See that the PostgreSQL server of DATABASE_URL runs, has room on its disk, and lets this user write.'
        : `Let the server's user write ${config.dataDir}, and see that its disk has room.`,
  };
}

/** Codes, sessions and expiries are told by the clock: it is held against every other one within reach. */
export function checkClock({ db, clock, config }: Pick<Context, 'db' | 'clock' | 'config'>): Check {
  return {
    name: 'clock',
    title: 'Clock',
    look: async () => {
      const others = [
        { name: 'the database server', ...(await lookAtDatabase(db, clock)) },
        { name: config.publicUrl, ...(await lookAtPublicAddress(config, clock)) },
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
    found: `This machine is ${seconds.toLocaleString('en')} seconds ${direction} ${worst.name}.`,
    fix: 'Let this machine and that one keep their time by NTP (for example chrony or systemd-timesyncd).',
  };
}

type Skew = { skewMs: number | undefined };

async function lookAtDatabase(db: Context['db'], clock: Context['clock']): Promise<Skew> {
  const { now } = await probeDatabase(db);
  return { skewMs: now === undefined ? undefined : clock.now() - now };
}

/** By the Date header of whoever answers there: a proxy on another machine has a clock of its own. */
async function lookAtPublicAddress({ publicUrl }: Context['config'], clock: Context['clock']): Promise<Skew> {
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
