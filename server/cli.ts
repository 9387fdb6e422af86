import { parseArgs } from 'node:util';
import { ConfigError, readConfig } from './config.ts';
import type { OperatorContext } from './context.ts';
import { createOperatorContext } from './create-context.ts';
import { loadEnvFile, readSecretFiles } from './environment.ts';
import {
  adoptStorage,
  askAtTerminal,
  backup,
  type Command,
  confirmClock,
  confirmSweep,
  createAdmin,
  EXIT,
  type ExitCode,
  exportUser,
  listBackups,
  migrate,
  moveToS3,
  RefusedError,
  restore,
  sweepStatus,
  UsageError,
  verifyBackup,
  verifyStorage,
} from './features/operations/index.ts';
import { PRIVATE_UMASK } from './platform/lib/private-files.ts';

/** `npm run cli -- <command>`: what an operator does, with the environment and the .env of the server, mostly while it runs. */
const COMMANDS: readonly Command[] = [
  backup,
  verifyBackup,
  listBackups,
  restore,
  verifyStorage,
  sweepStatus,
  confirmSweep,
  confirmClock,
  createAdmin,
  migrate,
  exportUser,
  moveToS3,
  adoptStorage,
];

process.umask(PRIVATE_UMASK);
process.exitCode = await main(process.argv.slice(2));

async function main([name, ...rest]: string[]): Promise<ExitCode> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') return showHelp(rest[0]);
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) return complain(`There is no command “${name}”.\n\n${listCommands()}`, EXIT.usage);
  try {
    return await run(command, rest);
  } catch (error) {
    return explain(command, error);
  }
}

async function run(command: Command, rest: string[]): Promise<ExitCode> {
  const { values, positionals } = readArguments(command, rest);
  if (values.help) return showHelp(command.name);
  const isJson = values.json === true;
  const envFile = loadEnvFile(process.env);
  const config = readConfig(readSecretFiles(process.env), envFile);
  let context: OperatorContext | undefined;
  try {
    return await command.run({
      config,
      args: positionals,
      options: values,
      isJson,
      open: async () => {
        context ??= await createOperatorContext(config);
        return context;
      },
      progress: (line) => void process.stderr.write(`${line}\n`),
      say: (line) => void (isJson ? process.stderr : process.stdout).write(`${line}\n`),
      report: (facts, sentence) =>
        void process.stdout.write(isJson ? `${JSON.stringify(facts)}\n` : `${sentence}\n`),
      ask: askAtTerminal,
    });
  } finally {
    await context?.close();
  }
}

function readArguments({ options }: Command, args: string[]) {
  const common = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;
  try {
    return parseArgs({ args, allowPositionals: true, options: { ...options, ...common } });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function explain(command: Command, error: unknown): ExitCode {
  if (error instanceof UsageError)
    return complain(`${error.message}\nUsage: npm run cli -- ${command.name} ${command.usage}`, EXIT.usage);
  if (error instanceof ConfigError || error instanceof RefusedError)
    return complain(error.message, EXIT.failed);
  const message = error instanceof Error ? error.message : String(error);
  return complain(`${command.name} failed: ${message}`, EXIT.failed);
}

function complain(text: string, code: ExitCode): ExitCode {
  process.stderr.write(`${text}\n`);
  return code;
}

function showHelp(name: string | undefined): ExitCode {
  const command = COMMANDS.find((each) => each.name === name);
  if (!command) {
    process.stdout.write(`${listCommands()}\n`);
    return EXIT.done;
  }
  const lines = [`npm run cli -- ${command.name} ${command.usage}`, '', command.summary, command.details];
  process.stdout.write(`${lines.filter((line) => line !== undefined).join('\n')}\n`);
  return EXIT.done;
}

function listCommands(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    'npm run cli -- <command>, with the environment of the server. All take --json and --help.',
    '',
    ...COMMANDS.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    'Exit codes: 0 done, 1 refused or failed, 2 wrong usage, 3 something was found wrong.',
  ].join('\n');
}
