import { getCurrentUser } from '../contracts/accounts/accounts.ts';
import { tierLabel } from '../contracts/plans/tiers.ts';
import { keepAccount, parseServer } from './account.ts';
import type { Command } from './command.ts';
import { readDefaults } from './environment.ts';
import { Api } from './http/api.ts';
import { ACCOUNT_OPTIONS, textOf } from './options.ts';
import { configFile } from './places.ts';
import { toOneLine } from './progress/words.ts';
import { readSecret } from './read-input.ts';

export const loginCommand: Command = {
  summary: 'Keep a server and an API key for all later calls',
  usage: '--server URL [--key KEY]',
  options: ACCOUNT_OPTIONS,
  notes: [
    'Create a key in Settings. Without --key it is read from standard input, or asked for. It is kept in a file\nthat only you may read.',
  ],
  async run({ values, firstContact, signal }) {
    const server = parseServer(textOf(values, 'server') ?? readDefaults().server);
    const key = (textOf(values, 'key') ?? (await readSecret(`API key for ${server}: `))).trim();
    const api = new Api(server, { key });
    try {
      const user = await firstContact.run(() => api.call(getCurrentUser, { signal }), signal);
      await keepAccount({ server, key });
      return {
        text: `${toOneLine(user.username)} (${tierLabel(user.tier)}) at ${server}, kept in ${configFile()}`,
        facts: { server, username: user.username, tier: user.tier, configFile: configFile() },
      };
    } finally {
      api.close();
    }
  },
};
