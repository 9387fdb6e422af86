import { importCommand } from '../../operator/import/import-command.ts';
import type { Product } from '../../operator/import/source.ts';
import type { TestServer } from '../test-context.ts';
import type { ImportFixture } from './fixture.ts';

export type Facts = ImportFixture['counts'] & {
  problems: { kind: string; id: string; reason: string }[];
  code: number;
};

/** Runs the command in this process, with the server's clock, database and storage. */
export async function runImport(
  { context }: TestServer,
  product: Product | 'undo',
  options: Record<string, unknown>,
): Promise<Facts & Record<string, unknown>> {
  let facts: Record<string, unknown> = {};
  const code = await importCommand.run({
    config: context.config,
    args: [product],
    options: { tier: 'free', ...options },
    open: async () => context,
    say: () => {},
    progress: () => {},
    report: (reported) => {
      facts = reported;
    },
    ask: async () => undefined,
  });
  return { ...facts, code } as never;
}
