import { ApiError } from '../client/api-error.ts';
import { Retries, type RetryPolicy } from '../client/retries.ts';
import { CommandError, EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { describeUsage, type ProgramDefinition, parseCommandLine } from '../command-line/program.ts';
import packageJson from '../package.json' with { type: 'json' };
import { loginCommand } from './account.ts';
import { COMMON_OPTIONS, type Command, type CommonOptions, type Outcome, type Run } from './command.ts';
import { openCommand } from './encrypted/open-command.ts';
import { verifyPageCommand } from './encrypted/verify-page.ts';
import { describeError, exitCodeOf } from './http/errors.ts';
import { listCommand } from './list.ts';
import { color, printLine, Screen, type ScreenStyle } from './progress/screen.ts';
import { toSentence } from './progress/words.ts';
import { receiveCommand } from './receive/receive-command.ts';
import { verifyCommand } from './receive/verify.ts';
import { resumeCommand } from './resume.ts';
import { secretCommand } from './send/secret-command.ts';
import { sendCommand } from './send/send-command.ts';

const PROGRAM: ProgramDefinition<Command> = {
  name: 'sendwell',
  description: 'Send and receive files of any size.',
  version: packageJson.version,
  commands: [
    sendCommand,
    secretCommand,
    receiveCommand,
    resumeCommand,
    listCommand,
    verifyCommand,
    openCommand,
    verifyPageCommand,
    loginCommand,
  ],
  commonOptions: COMMON_OPTIONS,
  exitCodes: Object.values(EXIT),
};

/** A 401 is final: waiting does not make a key valid. Waits for rate limits of up to 15 minutes. */
const RETRY_POLICY: RetryPolicy = {
  longestWaitMs: 30_000,
  longestLimitSeconds: 15 * 60,
  canSignIn: false,
};
/** Fail fast, because the address may be mistyped. */
const FIRST_CONTACT_SECONDS = 10;
/** A launcher forwards Ctrl-C, so one keystroke may arrive twice within this time. */
const SECOND_SIGNAL_MS = 500;

process.exitCode = await main(process.argv.slice(2));

async function main(argv: string[]): Promise<ExitCode> {
  try {
    const parsed = parseCommandLine(PROGRAM, argv);
    if (parsed.kind === 'run') return await runCommand(parsed.command, parsed.args, parsed.options);
    process.stdout.write(parsed.text);
    return argv.length === 0 ? EXIT.usage : EXIT.ok;
  } catch (error) {
    return printFailure(error, argv);
  }
}

async function runCommand(command: Command, args: unknown[], options: CommonOptions): Promise<ExitCode> {
  const { giveUpAfter } = options;
  const screen = new Screen(styleOf(options));
  const run: Run = {
    args,
    options,
    screen,
    signal: listenForSignals(),
    retries: createRetries(screen, giveUpAfter),
    firstContact: createRetries(screen, giveUpAfter ?? FIRST_CONTACT_SECONDS),
  };
  try {
    return printOutcome(await command.run(run), options);
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
                `${toSentence(describeError(error))} Gave up after ${giveUpAfterSeconds} s.`,
              ),
          },
  });
}

function styleOf({ progress, json }: CommonOptions): ScreenStyle {
  if (progress === 'json') return 'lines';
  if (progress !== undefined) return progress;
  if (json) return 'none';
  return process.stderr.isTTY ? 'bar' : 'plain';
}

/**
 * Returns a signal that the first Ctrl-C (or SIGTERM, SIGHUP) aborts. The second one ends the process immediately.
 */
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

function printOutcome({ text, facts, exitCode = EXIT.ok }: Outcome, { json, progress }: CommonOptions) {
  const hasEvents = progress === 'json';
  if (json || hasEvents)
    printLine({ ...(hasEvents && { event: 'end' }), ok: exitCode === EXIT.ok, ...facts });
  else if (text) process.stdout.write(`${text}\n`);
  return exitCode;
}

function printFailure(error: unknown, argv: string[]): ExitCode {
  const exitCode = exitCodeOf(error);
  const message = describeError(error);
  if (argv.includes('--json')) {
    const facts = error instanceof CommandError ? error.facts : {};
    const code = error instanceof ApiError ? error.code : undefined;
    printLine({ ok: false, error: message, code, exitCode, ...facts });
    return exitCode;
  }
  process.stderr.write(`${color('red', 'sendwell:')} ${message}\n`);
  if (exitCode === EXIT.usage) process.stderr.write(`${describeUsage(PROGRAM, argv[0])}\n`);
  return exitCode;
}
