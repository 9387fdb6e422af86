import { isEmail } from '../../../contracts/values/fields.ts';
import type { OperatorContext } from '../../context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { addAccount, findPerson, findWeakness, hashPassword, setAdministrator } from '../accounts/index.ts';
import { type Command, type CommandCall, EXIT, RefusedError, UsageError } from './command.ts';

export const createAdmin: Command = {
  name: 'create-admin',
  usage: '[--username <name> --email <address>] [--yes] [--json]',
  summary: 'create an administrator, or make somebody one who has an account',
  details: [
    '',
    'What is not given is taken from ADMIN_USERNAME, ADMIN_EMAIL and ADMIN_PASSWORD, or asked at the terminal; a',
    'password is never an option, since other users of the machine see those. Whoever has the name or address',
    'already keeps the account and the password and becomes an administrator, after a question (--yes: without).',
  ].join('\n'),
  options: { username: { type: 'string' }, email: { type: 'string' }, yes: { type: 'boolean' } },
  async run(call) {
    if (call.args.length > 0) throw new UsageError('It takes options only.');
    const context = await call.open();
    const username = await takeAnswer(call, 'username', 'User name: ');
    const user = await findPerson(context, username);
    if (user) return promote(call, context, user);
    const email = await takeAnswer(call, 'email', 'E-mail address: ');
    const owner = await findPerson(context, email);
    if (owner) return promote(call, context, owner);
    return create(call, context, { username, email });
  },
};

type Someone = { id: string; username: string; isAdmin: 0 | 1 };

async function promote(call: CommandCall, { db }: OperatorContext, user: Someone) {
  const facts = { userId: user.id, username: user.username, created: false };
  if (user.isAdmin === 1) {
    call.report(facts, `${user.username} is an administrator already.`);
    return EXIT.done;
  }
  const question = `${user.username} has an account. Make them an administrator? (yes/no) `;
  const answer = call.options.yes === true ? 'yes' : await call.ask(question);
  if (answer === undefined)
    throw new RefusedError(`${user.username} has an account: say --yes to make them an administrator.`);
  if (!/^y(es)?$/i.test(answer)) throw new RefusedError('Nothing was changed.');
  await transaction(db, (trx) => setAdministrator(trx, { userId: user.id, isAdmin: true }));
  call.report(facts, `${user.username} is an administrator now.`);
  return EXIT.done;
}

async function create(
  call: CommandCall,
  context: OperatorContext,
  { username, email }: { username: string; email: string },
) {
  if (!/^[a-z0-9._-]{3,32}$/i.test(username))
    throw new UsageError('The user name must be 3 to 32 of a-z 0-9 . _ -');
  if (!isEmail(email)) throw new UsageError('That is no e-mail address.');
  const password = call.config.firstAdmin?.password ?? (await call.ask('Password: ', { hidden: true }));
  if (password === undefined) throw new RefusedError('ADMIN_PASSWORD is missing, and nobody can be asked.');
  if (password.length < 6 || password.length > 200)
    throw new UsageError('The password must have 6 to 200 characters.');
  const weakness = await findWeakness(call, password, { username, email });
  if (weakness) throw new UsageError(weakness);
  const person = { name: username, username, email, passwordHash: await hashPassword(password) };
  const user = await transaction(context.db, (trx) =>
    addAccount({ db: trx, clock: context.clock }, person, { tier: 'premium', isAdmin: true }),
  );
  call.report({ userId: user.id, username, created: true }, `Created the administrator ${username}.`);
  return EXIT.done;
}

async function takeAnswer(call: CommandCall, name: 'username' | 'email', question: string): Promise<string> {
  // Those of the environment belong together: never the name of one person and the address of another.
  const isGiven = call.options.username !== undefined || call.options.email !== undefined;
  const known = isGiven ? call.options[name] : call.config.firstAdmin?.[name];
  const given = known ?? (await call.ask(question));
  if (typeof given !== 'string' || given === '') throw new UsageError(`--${name} is missing.`);
  return given;
}
