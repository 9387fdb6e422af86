import { msg } from '../../../platform/mail/wording.ts';
import { escapeUpTo } from './escaping.ts';
import { type Provider, readJson, readText } from './provider.ts';

const TITLE_MAX = 250;
const MESSAGE_MAX = 4_000;
const PRIORITIES = { news: 5, problem: 8 };

/** https://gotify.net/api-docs#/message/createMessage and https://gotify.net/docs/msgextras */
export const gotify: Provider = {
  compose({ title, text, facts, link, tone }, { url, accessToken }) {
    const lines = [text, ...facts.map(({ label, value }) => `${label}: ${value}`)];
    return {
      url,
      headers: [{ name: 'x-gotify-key', value: accessToken ?? '' }],
      body: {
        title: escapeUpTo(title, TITLE_MAX),
        message: escapeUpTo(lines.join('\n'), MESSAGE_MAX),
        priority: PRIORITIES[tone],
        extras: {
          'client::display': { contentType: 'text/plain' },
          'client::notification': { click: { url: link.url } },
        },
      },
    };
  },
  secretHeaders: ['x-gotify-key'],
  explain({ status }) {
    if (status === 401 || status === 403)
      return msg('Gotify does not accept the token. Use that of an app, not of a client.');
    if (status === 404 || status === 405)
      return msg('There is no Gotify server at this address. Please check it.');
    return undefined;
  },
  findDetail: (response) => readText(readJson(response).errorDescription),
};
