import type { Retries } from '../../client/retries.ts';
import type { Api } from '../http/api.ts';
import type { Screen } from '../progress/screen.ts';
import type { SendJournal } from './journal.ts';

export type SendContext = {
  api: Api;
  journal: SendJournal;
  retries: Retries;
  screen: Screen;
  signal: AbortSignal;
};
