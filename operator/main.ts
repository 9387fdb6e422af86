import { Option } from 'commander';
import { CommandError, EXIT, type ExitCode } from '../command-line/exit-codes.ts';
import { describeUsage, type ProgramDefinition, parseCommandLine } from '../command-line/program.ts';
import { ask } from '../command-line/prompts.ts';
import { ConfigError, readConfig } from '../server/config.ts';
import type { OperatorContext } from '../server/context.ts';
import { createOperatorContext } from '../server/create-context.ts';
import { loadEnvFile, readSecretFiles } from '../server/environment/env-file.ts';
import { PRIVATE_UMASK } from '../server/platform/lib/data-dir/private-files.ts';
import { backup, listBackups } from './backup/backup-command.ts';
import { restore } from './backup/restore-command.ts';
import { verifyBackup } from './backup/verify-backup.ts';
import type { Command } from './command.ts';
import { createAdmin } from './create-admin.ts';
import { exportUser } from './export-user.ts';
import { importCommand } from './import/import-command.ts';
import { migrate } from './migrate.ts';
import { resetSecondFactor } from './reset-second-factor.ts';
import { adoptStorage } from './storage/adopt-storage.ts';
import { moveToS3 } from './storage/move-to-s3.ts';
import { confirmClock, confirmSweep, sweepStatus } from './storage/sweeps.ts';
import { verifyStorage } from './storage/verify-storage.ts';

const PROGRAM: ProgramDefinition<Command> = {
  name: 'npm run cli --',
  description:
    'Commands for operators of a Sendwell server. They read its environment variables and .env file.',
  commands: [
    backup,
    verifyBackup,
    listBackups,
    restore,
    verifyStorage,
    sweepStatus,
    confirmSweep,
    confirmClock,
    createAdmin,
    resetSecondFactor,
    migrate,
    exportUser,
    importCommand,
    moveToS3,
    adoptStorage,
  ],
  commonOptions: [new Option('--json', 'Print the result as one JSON object on standard output')],
  exitCodes: [EXIT.ok, EXIT.failed, EXIT.usage, EXIT.found],
};

process.umask(PRIVATE_UMASK);
process.exitCode = await main(process.argv.slice(2));

async function main(argv: string[]): Promise<ExitCode> {
  try {
    const parsed = parseCommandLine(PROGRAM, argv);
    if (parsed.kind === 'run') return await run(parsed.command, parsed.args, parsed.options);
    process.stdout.write(parsed.text);
    return EXIT.ok;
  } catch (error) {
    return printFailure(error, argv[0]);
  }
}

async function run(command: Command, args: unknown[], options: Record<string, unknown>): Promise<ExitCode> {
  const isJson = options.json === true;
  const envFile = loadEnvFile(process.env);
  const config = readConfig(readSecretFiles(process.env), envFile);
  let context: OperatorContext | undefined;
  try {
    return await command.run({
      config,
      args,
      options,
      open: async () => {
        context ??= await createOperatorContext(config);
        return context;
      },
      progress: (line) => void process.stderr.write(`${line}\n`),
      say: (line) => void (isJson ? process.stderr : process.stdout).write(`${line}\n`),
      report: (facts, sentence) =>
        void process.stdout.write(isJson ? `${JSON.stringify(facts)}\n` : `${sentence}\n`),
      ask,
    });
  } finally {
    await context?.close();
  }
}

function printFailure(error: unknown, name: string | undefined): ExitCode {
  const exitCode = error instanceof CommandError ? error.exitCode : EXIT.failed;
  process.stderr.write(`${describeFailure(error, name)}\n`);
  return exitCode;
}

function describeFailure(error: unknown, name: string | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ConfigError) return message;
  if (!(error instanceof CommandError)) return `${name} failed: ${message}`;
  return error.exitCode === EXIT.usage ? `${message}\n${describeUsage(PROGRAM, name)}` : message;
}
