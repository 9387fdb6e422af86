import { parseArgs } from 'node:util';
import type { Config } from '../../server/config.ts';
import type { OperatorContext } from '../../server/context.ts';
import { createOperatorContext } from '../../server/create-context.ts';
import { type Command, RefusedError } from '../../server/features/operations/command.ts';

export type CommandRun = {
  code: number;
  /** Everything it said or refused with. */
  text: string;
  facts: Record<string, unknown>;
};

/**
 * Runs an operator's command within this process: on a running test server's `context`, or on a database and a
 * storage of its own.
 */
export async function runCommand(
  command: Command,
  { config, context }: { config: Config; context?: OperatorContext },
  ...args: string[]
): Promise<CommandRun> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: command.options ?? {} });
  const lines: string[] = [];
  let facts: Record<string, unknown> = {};
  let opened = context;
  try {
    const code = await command.run({
      config,
      args: positionals,
      options: values,
      isJson: true,
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
    if (!(error instanceof RefusedError)) throw error;
    return { code: 1, text: error.message, facts };
  } finally {
    if (!context) await opened?.close();
  }
}
