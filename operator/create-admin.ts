import { Option } from 'commander';
import { CommandError, EXIT, type ExitCode, usageError } from '../command-line/exit-codes.ts';
import { isYes } from '../command-line/prompts.ts';
import { ADMIN_PASSWORD_MIN } from '../contracts/plans/limits.ts';
import { isEmail } from '../contracts/values/fields.ts';
import type { OperatorContext } from '../server/context.ts';
import {
  addAccount,
  findPerson,
  findWeakness,
  hashPassword,
  setAdministrator,
} from '../server/features/accounts/index.ts';
import { transaction } from '../server/platform/db/transaction.ts';
import type { Command, CommandCall } from './command.ts';

type Options = { username?: string; email?: string; yes?: true };
type Call = CommandCall<[], Options>;

export const createAdmin: Command = {
  name: 'create-admin',
  summary: 'Create an administrator, or make an existing user one',
  details: [
    'Without options, the values come from ADMIN_USERNAME, ADMIN_EMAIL and ADMIN_PASSWORD, or the command prompts for ' +
      'them. The password is never an option, because other users of the machine can see options.',
    'If the username or email address belongs to an account, the command asks before it makes that account an ' +
      'administrator. The account keeps its password.',
  ],
  options: [
    new Option('--username <name>', 'Username of the administrator'),
    new Option('--email <address>', 'Email address of the administrator'),
    new Option('--yes', 'Make an existing user an administrator without asking'),
  ],
  async run(call: Call) {
    const context = await call.open();
    const username = await getAnswer(call, 'username', 'Username: ');
    const user = await findPerson(context, username);
    if (user) return promote(call, context, user);
    const email = await getAnswer(call, 'email', 'Email address: ');
    const owner = await findPerson(context, email);
    if (owner) return promote(call, context, owner);
    return create(call, context, { username, email });
  },
};

type ExistingUser = { id: string; username: string; isAdmin: 0 | 1 };

async function promote(call: Call, { db }: OperatorContext, user: ExistingUser): Promise<ExitCode> {
  const facts = { userId: user.id, username: user.username, created: false };
  if (user.isAdmin === 1) {
    call.report(facts, `${user.username} is already an administrator.`);
    return EXIT.ok;
  }
  const question = `${user.username} has an account. Make this user an administrator? (yes/no) `;
  const answer = call.options.yes ? 'yes' : await call.ask(question);
  if (answer === undefined)
    throw new CommandError(
      EXIT.failed,
      `${user.username} has an account. To make this user an administrator, add --yes.`,
    );
  if (!isYes(answer)) throw new CommandError(EXIT.failed, 'Nothing was changed.');
  await transaction(db, (trx) => setAdministrator(trx, { userId: user.id, isAdmin: true }));
  call.report(facts, `${user.username} is now an administrator.`);
  return EXIT.ok;
}

async function create(
  call: Call,
  context: OperatorContext,
  { username, email }: { username: string; email: string },
): Promise<ExitCode> {
  if (!/^[a-z0-9._-]{3,32}$/i.test(username))
    throw usageError('Use 3 to 32 letters, digits, dots, dashes or underscores for the username.');
  if (!isEmail(email)) throw usageError(`${email} is not an email address.`);
  const password = call.config.firstAdmin?.password ?? (await call.ask('Password: ', { hidden: true }));
  if (password === undefined)
    throw new CommandError(EXIT.failed, 'Set ADMIN_PASSWORD, or run the command at a terminal.');
  if (password.length < ADMIN_PASSWORD_MIN || password.length > 200)
    throw usageError(`The password must have ${ADMIN_PASSWORD_MIN} to 200 characters.`);
  const weakness = await findWeakness(call, password, { username, email });
  if (weakness) throw usageError(weakness);
  const person = { name: username, username, email, passwordHash: await hashPassword(password) };
  const user = await transaction(context.db, (trx) =>
    addAccount({ db: trx, clock: context.clock }, person, { tier: 'premium', isAdmin: true }),
  );
  call.report({ userId: user.id, username, created: true }, `Created the administrator ${username}.`);
  return EXIT.ok;
}

async function getAnswer(call: Call, name: 'username' | 'email', question: string): Promise<string> {
  const { options, config } = call;
  // Use the environment only if neither is given as an option, so that the username of one person is never combined
  // with the email address of another.
  const isGiven = options.username !== undefined || options.email !== undefined;
  const known = isGiven ? options[name] : config.firstAdmin?.[name];
  const answer = known ?? (await call.ask(question));
  if (!answer) throw usageError(`--${name} is missing.`);
  return answer;
}
