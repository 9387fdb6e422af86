import { RETENTION } from '../../../../contracts/transfers/retention.ts';
import { DAY_MS } from '../../../../contracts/values/durations.ts';
import type { Db } from '../../db/open.ts';
import type { Clock } from '../../lib/clock.ts';

/** Since the last correct password. */
const KNOWN_MS = RETENTION.knownPlaceDays * DAY_MS;
/** So that most correct passwords write nothing. */
const RENEW_MS = DAY_MS;

type Deps = { db: Db; clock: Clock };

/**
 * Records that a place (keyed hash of a network address or a browser token) entered the correct password of
 * an account or a transfer. Keeps the `max` newest places per subject.
 */
export async function recordKnownPlace(
  { db, clock }: Deps,
  { subject, place, max }: { subject: string; place: string; max: number },
): Promise<void> {
  const expiresAt = clock.now() + KNOWN_MS;
  const written = await db
    .insertInto('knownPlaces')
    .values({ subject, place, expiresAt })
    .onConflict((conflict) =>
      conflict
        .columns(['subject', 'place'])
        .doUpdateSet({ expiresAt })
        .where('knownPlaces.expiresAt', '<', expiresAt - RENEW_MS),
    )
    .returning('place')
    .executeTakeFirst();
  if (!written) return;
  await db
    .deleteFrom('knownPlaces')
    .where('subject', '=', subject)
    .where((eb) =>
      eb(
        'place',
        'in',
        eb
          .selectFrom('knownPlaces')
          .select('place')
          .where('subject', '=', subject)
          .orderBy('expiresAt', 'desc')
          .orderBy('place')
          .limit(max)
          .offset(max),
      ),
    )
    .execute();
}

export async function findKnownPlaces(
  { db, clock }: Deps,
  { subject, places }: { subject: string; places: string[] },
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('knownPlaces')
    .select('place')
    .where('subject', '=', subject)
    .where('place', 'in', places)
    .where('expiresAt', '>', clock.now())
    .execute();
  return new Set(rows.map(({ place }) => place));
}

export async function existsKnownPlace({ db, clock }: Deps, subject: string): Promise<boolean> {
  const place = await db
    .selectFrom('knownPlaces')
    .select('place')
    .where('subject', '=', subject)
    .where('expiresAt', '>', clock.now())
    .limit(1)
    .executeTakeFirst();
  return place !== undefined;
}

export async function deleteKnownPlaces(db: Db, subject: string): Promise<void> {
  await db.deleteFrom('knownPlaces').where('subject', '=', subject).execute();
}
