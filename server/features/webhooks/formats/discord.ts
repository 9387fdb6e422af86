import { msg } from '../../../platform/mail/wording.ts';
import { escapeUpTo } from './escaping.ts';
import { type Provider, readJson, readText } from './provider.ts';

/** https://docs.discord.com/developers/resources/message#embed-object-embed-limits */
const TITLE_MAX = 256;
const DESCRIPTION_MAX = 4_096;
const FIELD_NAME_MAX = 256;
const FIELD_VALUE_MAX = 1_024;

const COLORS = { news: 0x0f_76_6e, problem: 0xb9_1c_1c };

/** Escapes Markdown, mentions, links and emoji in users' texts. */
const escapeCharacter = (character: string) =>
  /[!-/:-@[-`{-~]/.test(character) ? `\\${character}` : character;

/** https://docs.discord.com/developers/resources/webhook#execute-webhook */
export const discord: Provider = {
  compose({ title, text, facts, link, tone, timestamp }, target) {
    const url = new URL(target.url);
    // Otherwise Discord answers before it knows whether it can post the message.
    url.searchParams.set('wait', 'true');
    return {
      url: url.href,
      body: {
        allowed_mentions: { parse: [] },
        embeds: [
          {
            title: escapeUpTo(title, TITLE_MAX, escapeCharacter),
            description: escapeUpTo(text, DESCRIPTION_MAX, escapeCharacter),
            url: link.url,
            color: COLORS[tone],
            timestamp,
            ...(facts.length > 0 && {
              fields: facts.map(({ label, value }) => ({
                name: escapeUpTo(label, FIELD_NAME_MAX, escapeCharacter),
                value: escapeUpTo(value, FIELD_VALUE_MAX, escapeCharacter),
                inline: true,
              })),
            }),
          },
        ],
      },
    };
  },
  explain({ status }) {
    if (status === 404 || status === 401)
      return msg('Discord no longer knows this webhook. Create a new one in Discord and enter its URL.');
    if (status === 429)
      return msg('Discord accepts no more messages for now. Sendwell waits as long as it asks.');
    return undefined;
  },
  findDetail: (response) => readText(readJson(response).message),
};
