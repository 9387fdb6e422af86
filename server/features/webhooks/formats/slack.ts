import { msg } from '../../../platform/mail/wording.ts';
import { escapeUpTo } from './escaping.ts';
import type { Provider } from './provider.ts';

/** Limits of blocks: https://docs.slack.dev/reference/block-kit/blocks */
const HEADER_MAX = 150;
const SECTION_MAX = 3_000;
const FIELD_MAX = 2_000;

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escapeCharacter = (character: string) => ESCAPES[character] ?? character;
/** Plain text objects know no formatting and no mentions. */
const plain = (text: string, max: number) => ({
  type: 'plain_text',
  text: escapeUpTo(text, max, escapeCharacter),
  emoji: false,
});

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const slack: Provider = {
  compose({ title, text, facts, link }, { url }) {
    const label = escapeUpTo(link.label, HEADER_MAX, escapeCharacter);
    return {
      url,
      body: {
        // For notifications and screen readers.
        text: escapeUpTo(`${title}: ${text}`, SECTION_MAX, escapeCharacter),
        mrkdwn: false,
        unfurl_links: false,
        unfurl_media: false,
        blocks: [
          { type: 'header', text: plain(title, HEADER_MAX) },
          {
            type: 'section',
            text: plain(text, SECTION_MAX),
            ...(facts.length > 0 && {
              fields: facts.map(({ label: name, value }) => plain(`${name}: ${value}`, FIELD_MAX)),
            }),
          },
          // A button would ask the app for an address of its own.
          { type: 'context', elements: [{ type: 'mrkdwn', text: `<${link.url}|${label}>`, verbatim: true }] },
        ],
      },
    };
  },
  explain: ({ status, body }) =>
    REASONS[body.trim()] ?? (status === 404 || status === 410 ? REASONS.no_service : undefined),
  findDetail: ({ body }) => body.trim() || undefined,
};

const REASONS: Record<string, string> = {
  invalid_payload: msg('Slack could not read the message. Please report this to your administrator.'),
  invalid_blocks: msg('Slack could not read the message. Please report this to your administrator.'),
  no_text: msg('Slack could not read the message. Please report this to your administrator.'),
  no_service: msg('Slack no longer knows this webhook. Create a new one in Slack and enter its URL.'),
  no_service_id: msg('Slack no longer knows this webhook. Create a new one in Slack and enter its URL.'),
  no_active_hooks: msg('Slack no longer knows this webhook. Create a new one in Slack and enter its URL.'),
  invalid_token: msg('Slack no longer knows this webhook. Create a new one in Slack and enter its URL.'),
  no_team: msg('The Slack workspace of this webhook no longer exists.'),
  team_disabled: msg('The Slack workspace of this webhook no longer exists.'),
  channel_not_found: msg('The Slack channel of this webhook no longer exists.'),
  channel_is_archived: msg('The Slack channel of this webhook is archived.'),
  action_prohibited: msg('An administrator of Slack does not allow messages to this channel.'),
  posting_to_general_channel_denied: msg(
    'An administrator of Slack does not allow messages to this channel.',
  ),
};
