import { type Argument, Command, CommanderError, InvalidArgumentError, type Option } from 'commander';
import { describeExitCodes, type ExitCode, usageError } from './exit-codes.ts';

export type CommandDefinition = {
  name: string;
  /** Without a full stop. */
  summary: string;
  arguments?: Argument[];
  options?: Option[];
  /** Paragraphs for `--help`. */
  details?: string[];
};

export type ProgramDefinition<C extends CommandDefinition> = {
  name: string;
  description: string;
  version?: string;
  commands: readonly C[];
  commonOptions: Option[];
  exitCodes: readonly ExitCode[];
};

export type ParsedCommandLine<C extends CommandDefinition> =
  | { kind: 'run'; command: C; args: unknown[]; options: Record<string, unknown> }
  /** Help or version, for standard output. */
  | { kind: 'print'; text: string };

/**
 * Parses the arguments after the program's name. Option names become camelCase keys. Throws CommandError with
 * EXIT.usage, and suggests a name for a mistyped command or option.
 */
export function parseCommandLine<C extends CommandDefinition>(
  program: ProgramDefinition<C>,
  argv: readonly string[],
): ParsedCommandLine<C> {
  let text = '';
  let parsed: ParsedCommandLine<C> | undefined;
  const root = buildRoot(program).configureOutput({
    writeOut: (each) => {
      text += each;
    },
    outputError: () => {},
  });
  for (const definition of program.commands) {
    const command = addCommand(root, definition, program.commonOptions);
    command.action(() => {
      parsed = {
        kind: 'run',
        command: definition,
        args: command.processedArgs,
        options: command.opts(),
      };
    });
  }
  if (argv.length === 0) root.outputHelp();
  else {
    try {
      root.parse(argv, { from: 'user' });
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode !== 0) throw usageError(toSentence(error.message));
    }
  }
  return parsed ?? { kind: 'print', text };
}

export function describeUsage<C extends CommandDefinition>(
  program: ProgramDefinition<C>,
  commandName: string | undefined,
): string {
  const definition = program.commands.find(({ name }) => name === commandName);
  const root = buildRoot(program);
  const command = definition ? addCommand(root, definition, program.commonOptions) : root;
  const help = `${program.name} ${definition ? `${definition.name} ` : ''}--help`;
  return `Usage: ${command.createHelp().commandUsage(command)}\nMore: ${help}`;
}

export function wholeNumber({ least }: { least: number }): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least) return number;
    throw new InvalidArgumentError(`It must be a whole number of at least ${least}.`);
  };
}

function buildRoot<C extends CommandDefinition>({
  name,
  description,
  version,
  exitCodes,
}: ProgramDefinition<C>): Command {
  const root = new Command(name)
    .usage('<command> [options]')
    .description(description)
    .helpOption('-h, --help', 'Show this help')
    .helpCommand('help [command]', 'Show how to use a command')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', `\n${describeExitCodes(exitCodes)}`)
    .exitOverride();
  return version === undefined ? root : root.version(version, '-v, --version', 'Show the version');
}

function addCommand(root: Command, definition: CommandDefinition, commonOptions: Option[]): Command {
  const { name, summary, details = [], options = [] } = definition;
  const command = root
    .command(name)
    .summary(summary)
    .description([`${summary}.`, ...details].join('\n\n'));
  for (const argument of definition.arguments ?? []) command.addArgument(argument);
  for (const option of [...options, ...commonOptions]) command.addOption(option);
  return command;
}

/** `error: unknown option '--dasy'⏎(Did you mean --days?)` → `Unknown option '--dasy'. Did you mean --days?` */
function toSentence(message: string): string {
  const plain = message.replace(/^error: /, '').replace(/\n\((.*)\)$/, '. $1');
  return plain.charAt(0).toUpperCase() + plain.slice(1) + (/[.?!]$/.test(plain) ? '' : '.');
}
