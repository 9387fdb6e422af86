import type { Context } from '../../context.ts';
import type { Db } from '../../platform/db/open.ts';
import { selectSetting } from '../../platform/db/settings.ts';
import { defineResealJob } from '../../platform/jobs/reseal-job.ts';
import { openSealedText, sealText } from '../../platform/lib/sealed-text.ts';
import { randomId } from '../../platform/lib/tokens.ts';
import { generateVapidKeys, type VapidKeys } from '../../platform/push/vapid.ts';

const KEY = 'vapidKeys';
const PURPOSE = 'vapid-keys';

/**
 * Returns the server's key pair. It is created at first use; if several processes create one, the first wins. If it
 * can't be read because SESSION_SECRET has changed, a new one replaces it, and browsers subscribe again.
 */
export async function getVapidKeys(context: Pick<Context, 'db' | 'clock' | 'secret' | 'previousSecret'>) {
  const { db, clock, secret, previousSecret } = context;
  for (;;) {
    const [stored] = await selectSetting(db, KEY);
    const text = stored && openSealedText({ secret, previousSecret, purpose: PURPOSE }, stored.value);
    if (text !== undefined) return JSON.parse(text) as VapidKeys;
    const value = sealText({ secret, purpose: PURPOSE }, JSON.stringify(generateVapidKeys()));
    await replaceKeys(db, { value, old: stored?.value, now: clock.now() });
  }
}

async function replaceKeys(
  db: Db,
  { value, old, now }: { value: string; old: string | undefined; now: number },
): Promise<void> {
  if (old === undefined)
    await db
      .insertInto('settings')
      .values({ id: randomId(), key: KEY, value, updatedAt: now })
      .onConflict((conflict) => conflict.column('key').doNothing())
      .execute();
  else
    await db
      .updateTable('settings')
      .set({ value, updatedAt: now })
      .where('key', '=', KEY)
      .where('value', '=', old)
      .execute();
}

/** Of `PushTarget`, which is sealed because its address works like a password. */
export const TARGET_PURPOSE = 'push-target';

export const resealJob = defineResealJob('push.reseal', [
  { table: 'settings', key: 'key', column: 'value', purpose: PURPOSE },
  { table: 'pushSubscriptions', key: 'id', column: 'sealedTarget', purpose: TARGET_PURPOSE },
]);
