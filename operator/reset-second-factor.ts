import { Argument } from 'commander';
import { CommandError, EXIT } from '../command-line/exit-codes.ts';
import { findPerson, resetFactors } from '../server/features/accounts/index.ts';
import { transaction } from '../server/platform/db/transaction.ts';
import type { Command, CommandCall } from './command.ts';

export const resetSecondFactor: Command = {
  name: 'reset-second-factor',
  summary: 'Remove the second factors of a user who lost them',
  details: [
    'For administrators who cannot sign in any more; administrators reset those of other users in the admin area. ' +
      'Removes the authenticator app, passkeys and recovery codes. The password stays. The user is notified by email.',
  ],
  arguments: [new Argument('<user>', 'Username or email address')],
  async run(call: CommandCall<[string]>) {
    const [name] = call.args;
    const { db, clock, config } = await call.open();
    const user = await findPerson({ db }, name);
    if (!user) throw new CommandError(EXIT.failed, `There is no user ${name}.`);
    if (!user.hasSecondFactor) throw new CommandError(EXIT.failed, `${user.username} has no second factor.`);
    await transaction(db, (trx) => resetFactors({ db: trx, clock, config }, user.id));
    call.report(
      { userId: user.id, username: user.username },
      `Removed the second factors of ${user.username}, who can sign in with the password now.`,
    );
    return EXIT.ok;
  },
};
