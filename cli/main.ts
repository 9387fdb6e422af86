import { ApiError } from '../client/api-error.ts';
import { Retries, type RetryPolicy } from '../client/retries.ts';
import packageJson from '../package.json' with { type: 'json' };
import type { Command, Outcome, Run } from './command.ts';
import { commands } from './commands.ts';
import { describeCommand, describeCommands } from './help.ts';
import { CommandError, describeError, EXIT, exitCodeOf, usageError } from './http/errors.ts';
import { COMMON_OPTIONS, numberOf, parseOptions, textOf, type Values } from './options.ts';
import { colour, printLine, Screen, type ScreenStyle } from './progress/screen.ts';

/** A key does not come back by waiting, so a 401 is final; a limit of a quarter of an hour is waited for. */
const RETRY_POLICY: RetryPolicy = {
  longestWaitMs: 30_000,
  longestLimitSeconds: 15 * 60,
  canSignIn: false,
};
/** A mistyped address is told soon. */
const FIRST_CONTACT_SECONDS = 10;
/** A second Ctrl-C within this time is the same one, passed on by a launcher. */
const SECOND_SIGNAL_MS = 500;

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const [name, ...rest] = args;
  const isJson = args.includes('--json');
  try {
    if (name === '--version' || name === '-v') return say(packageJson.version);
    if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
      const asked = commands[rest[0] ?? ''];
      say(asked ? describeCommand(rest[0]!, asked) : describeCommands(commands));
      return name === undefined ? EXIT.usage : EXIT.ok;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (!command) throw usageError(`There is no command “${name}”. \`sendwell --help\` lists them.`);
    return await runCommand(name, command, rest);
  } catch (error) {
    return tellFailure(error, isJson);
  }
}

async function runCommand(name: string, command: Command, args: string[]): Promise<number> {
  const options = { ...command.options, ...COMMON_OPTIONS };
  const { values, paths } = parseOptions(args, options);
  if (values.help) return say(describeCommand(name, { ...command, options }));
  const screen = new Screen(styleOf(values));
  const signal = listenForSignals();
  const giveUpAfterSeconds = numberOf(values, 'give-up-after');
  const run: Run = {
    values,
    paths,
    screen,
    signal,
    retries: createRetries(screen, giveUpAfterSeconds),
    firstContact: createRetries(screen, giveUpAfterSeconds ?? FIRST_CONTACT_SECONDS),
  };
  try {
    return tellOutcome(await command.run(run), values);
  } finally {
    screen.stop();
  }
}

function createRetries(screen: Screen, giveUpAfterSeconds: number | undefined): Retries {
  return new Retries({
    policy: RETRY_POLICY,
    onFailure: (failure) =>
      screen.showTrouble(
        failure && {
          message: describeError(failure.error),
          nextTryInSeconds: failure.nextTryInSeconds ?? 0,
        },
      ),
    giveUp:
      giveUpAfterSeconds === undefined
        ? undefined
        : {
            afterSeconds: giveUpAfterSeconds,
            toError: (error) =>
              new CommandError(
                EXIT.interrupted,
                `${describeError(error)}. Given up after ${giveUpAfterSeconds} s.`,
              ),
          },
  });
}

function styleOf(values: Values): ScreenStyle {
  const wish = textOf(values, 'progress');
  if (wish !== undefined && !['bar', 'plain', 'none', 'json'].includes(wish))
    throw usageError('--progress takes bar, plain, none or json.');
  if (wish === 'json') return 'lines';
  if (wish !== undefined) return wish as ScreenStyle;
  if (values.json) return 'none';
  return process.stderr.isTTY ? 'bar' : 'plain';
}

/** Aborts at Ctrl-C and its like; a second one ends at once. */
function listenForSignals(): AbortSignal {
  const controller = new AbortController();
  let stoppedAt = 0;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      const now = performance.now();
      if (stoppedAt > 0 && now - stoppedAt > SECOND_SIGNAL_MS) process.exit(EXIT.interrupted);
      stoppedAt ||= now;
      controller.abort(new CommandError(EXIT.interrupted, 'Stopped.'));
    });
  }
  return controller.signal;
}

function tellOutcome({ text, facts, exitCode = EXIT.ok }: Outcome, values: Values): number {
  const isMachine = values.json || values.progress === 'json';
  if (isMachine)
    printLine({ ...(values.progress === 'json' && { event: 'end' }), ok: exitCode === 0, ...facts });
  else if (text) process.stdout.write(`${text}\n`);
  return exitCode;
}

function tellFailure(error: unknown, isJson: boolean): number {
  const exitCode = exitCodeOf(error);
  const message = describeError(error);
  if (isJson) {
    const facts = error instanceof CommandError ? error.facts : {};
    const code = error instanceof ApiError ? error.code : undefined;
    printLine({ ok: false, error: message, code, exitCode, ...facts });
  } else {
    process.stderr.write(`${colour('red', 'sendwell:')} ${message}\n`);
  }
  return exitCode;
}

function say(text: string): number {
  process.stdout.write(`${text}\n`);
  return EXIT.ok;
}
