import { type Command, EXIT } from './command.ts';
import { migrateDatabase } from './database-state.ts';

export const migrate: Command = {
  name: 'migrate',
  usage: '[--json]',
  summary: 'bring the tables up to date and say what was done (the server does it, too, at every start)',
  async run({ config, report }) {
    const done = await migrateDatabase(config);
    report(
      { migrations: done },
      done.length === 0 ? 'The tables are up to date.' : done.map((name) => `Done: ${name}`).join('\n'),
    );
    return EXIT.done;
  },
};
