import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { MAX_FILES_PER_TRANSFER } from '../../plans/limits.ts';
import { Id, lineUpTo } from '../../values/fields.ts';
import { acceptPlainPassword, TransferSettings } from '../transfers.ts';

/** As text in query strings, headers and tus metadata. */
const Fields = TransferSettings.extend({
  /** The existing transfer to add the file to. */
  transferId: Id.optional(),
  /** Files sent with the same name become one transfer. */
  transfer: lineUpTo(200).min(1, 'Please give the transfer a name.').optional(),
  fileCount: z.int().min(1).max(MAX_FILES_PER_TRANSFER).optional(),
});

const Settings = acceptPlainPassword(Fields);

export type TextSettings = z.output<typeof Settings>;

/** Short names for typing by hand. */
const ALIASES: Record<string, keyof TextSettings> = {
  to: 'recipientEmails',
  recipients: 'recipientEmails',
  days: 'expirationDays',
};

const NUMBERS = new Set(['expirationDays', 'maxDownloads', 'fileCount']);
const FLAGS = new Set(['autoDeleteAfterDownloads']);
const YES = new Set(['true', '1', 'on', 'yes']);

/** Keys are lower case, like header names. */
const NAMES = new Map(
  [...Object.keys(Fields.shape).map((name) => [name, name] as const), ...Object.entries(ALIASES)].map(
    ([name, setting]) => [name.toLowerCase(), setting],
  ),
);

/** Accepts hyphens (`Expiration-Days`). */
function findSetting(name: string): string | undefined {
  return NAMES.get(name.toLowerCase().replaceAll('-', ''));
}

export function isSettingName(name: string): boolean {
  return findSetting(name) !== undefined;
}

/** Passwords must not be stored. */
export function isPasswordSetting(name: string): boolean {
  const setting = findSetting(name);
  return setting === 'password' || setting === 'plainPassword';
}

/** Empty texts count as absent; unknown names are errors. */
export function parseTextSettings(texts: Iterable<readonly [name: string, text: string]>) {
  const wishes = new Map<string, unknown>();
  for (const [name, text] of texts) {
    const setting = findSetting(name);
    if (setting === undefined) wishes.set(name, text);
    else if (text !== '') wishes.set(setting, toValue(setting, text));
  }
  return Settings.safeParse(Object.fromEntries(wishes));
}

function toValue(setting: string, text: string): unknown {
  if (NUMBERS.has(setting)) return text.trim() === '' ? text : Number(text);
  return FLAGS.has(setting) ? YES.has(text.toLowerCase()) : text;
}

export const putFile = defineEndpoint({
  method: 'PUT',
  path: '/api/files/:name',
  access: 'signed-in',
  summary: 'Send one file as the body (`curl -T`); returns its share link',
  description:
    'Settings of the transfer go into the query, or into headers with the same names after `Sendwell-`, such as `Sendwell-Expiration-Days`. The header `Last-Modified` is the modification time of the file.',
  params: z.object({ name: z.string() }),
  query: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  body: 'stream',
  response: 'stream',
  status: 201,
});

export const SentFile = z
  .object({
    link: z.string(),
    token: z.string(),
    transferId: Id,
    file: z.object({
      id: Id,
      name: z.string(),
      size: z.int().describe('Bytes.'),
    }),
  })
  .describe('The answer for callers that accept JSON. Others get the link alone as a line of text.');
export type SentFile = z.infer<typeof SentFile>;
