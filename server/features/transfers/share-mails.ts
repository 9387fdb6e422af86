import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { TransferRow } from '../../platform/db/schema.ts';
import { selectSender } from './draft-queries.ts';
import type { ShareMail } from './emails.ts';
import { listFirstFiles } from './queries.ts';
import { listMailedKeys } from './recipient-queries.ts';

/** How many files a mail names. */
const FILES_NAMED = 5;

/** Reads what the mails about a transfer say. Call it before the new mails are scheduled. */
export async function gatherShareMail(
  trx: Trx,
  { clock, config, secret }: Pick<Context, 'clock' | 'config' | 'secret'>,
  transfer: TransferRow,
): Promise<ShareMail> {
  return {
    transfer,
    mailedBefore: await listMailedKeys(trx, transfer.id),
    sender: await selectSender(trx, transfer.userId),
    files: await listFirstFiles(trx, transfer.id, FILES_NAMED),
    publicUrl: config.publicUrl,
    secret,
    now: clock.now(),
  };
}
