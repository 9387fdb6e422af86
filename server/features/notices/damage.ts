import type { Context } from '../../context.ts';
import type { JobRun } from '../../platform/jobs/define-job.ts';
import { DAY_MS, MINUTE_MS } from '../../platform/lib/clock.ts';
import { recordTransferEvent } from '../transfers/index.ts';
import { claimUntoldDamage, listUntoldDamage } from './damage-queries.ts';
import { enqueueDamageNotice } from './emails.ts';
import { findSubject } from './queries.ts';
import { toNotice } from './subject.ts';
import { tellOfEach } from './walk.ts';

/** Damage is seldom alone: what is found within this time is one mail. */
const GATHER_MS = 15 * MINUTE_MS;
/** Between two mails about the same transfer. */
const PAUSE_MS = DAY_MS;

/**
 * Tells owners, and their webhooks, which files of a transfer are damaged and what to do: one mail for all files
 * found together, each file once until it is healed. No setting turns it off, because it is about lost data.
 */
export async function tellOfDamage(context: Context, run: Pick<JobRun, 'signal'>): Promise<void> {
  const now = context.clock.now();
  const due = { foundBefore: now - GATHER_MS, toldBefore: now - PAUSE_MS };
  await tellOfEach(context, run, {
    list: (page) => listUntoldDamage(context.db, page, due),
    tell: async (trx, transferId) => {
      const files = await claimUntoldDamage(trx, transferId, now);
      const subject = await findSubject(trx, transferId);
      if (files.length === 0 || !subject) return;
      const more = () => ({ files: files.map(({ id, name }) => ({ id, relativePath: name })) });
      await recordTransferEvent(trx, transferId, { type: 'transfer.damaged', more, now });
      const isOver = subject.expiresAt !== null && subject.expiresAt <= now;
      if (isOver || !subject.emailVerified) return;
      const { receivedFrom } = subject;
      await enqueueDamageNotice(trx, { ...toNotice(context, subject, now), damaged: files, receivedFrom });
    },
  });
}
