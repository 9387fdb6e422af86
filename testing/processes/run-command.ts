import { CommandError } from '../../command-line/exit-codes.ts';
import { parseCommandLine } from '../../command-line/program.ts';
import type { Command } from '../../operator/command.ts';
import type { Config } from '../../server/config.ts';
import type { OperatorContext } from '../../server/context.ts';
import { createOperatorContext } from '../../server/create-context.ts';

export type CommandRun = {
  code: number;
  /** All printed lines, or the error message. */
  text: string;
  facts: Record<string, unknown>;
};

/**
 * Runs an operator command in this process: on the `context` of a running test server, or on the database and
 * storage in `config`.
 */
export async function runCommand(
  command: Command,
  { config, context }: { config: Config; context?: OperatorContext },
  ...argv: string[]
): Promise<CommandRun> {
  const lines: string[] = [];
  let facts: Record<string, unknown> = {};
  let opened = context;
  try {
    const program = { name: 'test', description: '', commands: [command], commonOptions: [], exitCodes: [] };
    const parsed = parseCommandLine(program, [command.name, ...argv]);
    if (parsed.kind === 'print') throw new Error('This command line asks for help.');
    const code = await command.run({
      config,
      args: parsed.args,
      options: parsed.options,
      open: async () => {
        opened ??= await createOperatorContext(config);
        return opened;
      },
      say: (line) => void lines.push(line),
      progress: () => undefined,
      report: (found, sentence) => {
        facts = found;
        lines.push(sentence);
      },
      ask: async () => undefined,
    });
    return { code, text: lines.join('\n'), facts };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { code: error.exitCode, text: error.message, facts };
  } finally {
    if (!context) await opened?.close();
  }
}
