import { crc32 } from 'node:zlib';
import { Option } from 'commander';
import { type BytesRequest, sendSealedText } from '../../client/send-sealed-text.ts';
import { usageError } from '../../command-line/exit-codes.ts';
import { wholeNumber } from '../../command-line/program.ts';
import { ask, readAllInput } from '../../command-line/prompts.ts';
import { getCurrentUser } from '../../contracts/accounts/accounts.ts';
import { SECRET_TEXT_MAX } from '../../contracts/plans/limits.ts';
import { formatCount } from '../../contracts/values/format.ts';
import { encryptedLink } from '../../encryption/link.ts';
import { isSecretText, sealSecretText } from '../../encryption/secret-text.ts';
import { getAccount } from '../account.ts';
import {
  ACCOUNT_OPTIONS,
  type AccountOptions,
  type Command,
  type Outcome,
  type PasswordOptions,
  passwordOptions,
  type Run,
} from '../command.ts';
import { Api } from '../http/api.ts';
import { readText } from '../http/connection.ts';
import { readSettings, requireIncluded } from './settings.ts';

type SecretOptions = AccountOptions & PasswordOptions & { title?: string; days: number; opens: number };

const DEFAULT_DAYS = 7;
const MAX_RESPONSE_BYTES = 64 * 1024;

export const secretCommand: Command = {
  name: 'secret',
  summary: 'Send a secret text that can be opened once, and print its link',
  details: [
    'The text is read from standard input, or asked for at a terminal. It is end-to-end encrypted: the key is only in ' +
      'the printed link. The server counts who opens it, and refuses the next.',
    'With --password-stdin, the first line of standard input is the password, and the rest is the text.',
  ],
  options: [
    new Option('--opens <n>', 'How many times it can be opened')
      .argParser(wholeNumber({ least: 1 }))
      .default(1),
    new Option('--days <n>', 'Days until it expires; at most as many as your plan allows')
      .argParser(wholeNumber({ least: 1 }))
      .default(DEFAULT_DAYS),
    new Option('--title <text>', 'Title for the recipient'),
    ...passwordOptions('Password that the recipient must enter'),
    ...ACCOUNT_OPTIONS,
  ],
  run: sendSecret,
};

async function sendSecret({
  options,
  firstContact,
  retries,
  signal,
}: Run<[], SecretOptions>): Promise<Outcome> {
  const account = await getAccount(options);
  const { text, password } = await readInput(options);
  const { title, days, opens } = options;
  const settings = readSettings({ title, days, maxDownloads: opens, password });
  if (!isSecretText(text)) {
    const most = formatCount(SECRET_TEXT_MAX);
    throw usageError(`The text must have 1 to ${most} characters, and none of them may be a zero byte.`);
  }
  const api = new Api(account.server, { key: account.key });
  try {
    const user = await firstContact.run(() => api.call(getCurrentUser, { signal }), signal);
    requireIncluded(user, settings);
    const { params, accessKeyHash, linkSecret, ...sealed } = await sealSecretText({ text, title, password });
    const sendBytes = async ({ body, ...request }: BytesRequest) => {
      const response = await api.send({ ...request, body: Buffer.from(body), signal });
      await readText(response, MAX_RESPONSE_BYTES);
    };
    const { id, token } = await sendSealedText(
      { ...sealed, encryption: { ...params, accessKeyHash } },
      { expirationDays: days, maxDownloads: opens },
      { call: api.call, sendBytes, crc32, retry: (attempt) => retries.run(attempt, signal) },
    );
    const link = encryptedLink(account.server, token, linkSecret);
    return { text: link, facts: { id, token, link, opens, days } };
  } finally {
    api.close();
  }
}

async function readInput({
  password,
  passwordStdin,
}: PasswordOptions): Promise<{ text: string; password: string | undefined }> {
  if (process.stdin.isTTY) {
    const asked = passwordStdin ? await ask('Password: ', { hidden: true }) : password;
    return { text: (await ask('Secret text: ', { hidden: true })) ?? '', password: asked };
  }
  const input = await readAllInput();
  const [first = '', ...rest] = passwordStdin ? input.split('\n') : [];
  // `echo` and editors end the text with a line break that is not part of it.
  const text = (passwordStdin ? rest.join('\n') : input).replace(/\r?\n$/, '');
  return { text, password: passwordStdin ? first.replace(/\r$/, '') : password };
}
