import type { SystemCheck } from '../../../../../contracts/admin/system.ts';
import { SECOND_MS } from '../../../../../contracts/values/durations.ts';
import type { Context } from '../../../../context.ts';
import { ConcurrencyLimit } from '../../../../platform/lib/concurrency/concurrency-limit.ts';
import { runCheck } from './check.ts';
import { checkBackup, checkClock, checkDatabase } from './database-checks.ts';
import { checkDirectAccess } from './direct-access-check.ts';
import {
  checkMailServer,
  checkPasskeys,
  checkPayments,
  checkSandbox,
  checkScanner,
} from './service-checks.ts';
import { checkDirect, checkDisk, checkInstallation, checkMultipart, checkStorage } from './storage-checks.ts';

const CHECK_MS = 10 * SECOND_MS;
/** Sending 12 MiB to a distant store is slow. */
const MULTIPART_MS = 60 * SECOND_MS;

/** The check tries up to four methods in turn. */
const SANDBOX_MS = 60 * SECOND_MS;

/** Limits repeated checks, which could otherwise fill the storage. */
const oneAtATime = new ConcurrencyLimit(1);

export function runSystemChecks(context: Context): Promise<SystemCheck[]> {
  const { scanner, config } = context;
  const { direct } = context.blobs;
  return oneAtATime.run(() =>
    Promise.all([
      runCheck(checkDatabase(context), CHECK_MS),
      runCheck(checkInstallation(context), CHECK_MS),
      runCheck(checkStorage(context), CHECK_MS),
      runCheck(checkMultipart(context), MULTIPART_MS),
      ...(direct ? [runCheck(checkDirect(direct, config.publicUrl), CHECK_MS)] : []),
      runCheck(checkDisk(context), CHECK_MS),
      runCheck(checkBackup(context), CHECK_MS),
      runCheck(checkSandbox(context), SANDBOX_MS),
      runCheck(checkDirectAccess(config), CHECK_MS),
      runCheck(checkMailServer(context), CHECK_MS),
      runCheck(checkPasskeys(config), CHECK_MS),
      ...(scanner && config.scan ? [runCheck(checkScanner(scanner, config.scan), CHECK_MS)] : []),
      runCheck(checkClock(context), CHECK_MS),
      runCheck(checkPayments(context), CHECK_MS),
    ]),
  );
}
