import type { WebhookFormat } from '../../contracts/accounts/webhook-formats.ts';

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

/**
 * JSON Schemas of what services accept, written from their public documentation. They are stricter than the services:
 * a field that Sendwell has no use for is an error.
 */
export const MESSAGE_SCHEMAS: Record<Exclude<WebhookFormat, 'sendwell'>, object> = {
  slack: slackMessage(),
  teams: teamsMessage(),
  discord: discordMessage(),
  ntfy: ntfyMessage(),
  gotify: gotifyMessage(),
};

function object(properties: Record<string, object>, required = Object.keys(properties)) {
  return { type: 'object', properties, required, additionalProperties: false };
}

/**
 * https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
 * https://docs.slack.dev/reference/block-kit/blocks/header-block (text: 150)
 * https://docs.slack.dev/reference/block-kit/blocks/section-block (text: 3,000; 10 fields of 2,000)
 * https://docs.slack.dev/reference/block-kit/blocks/context-block (10 elements)
 * https://docs.slack.dev/reference/block-kit/composition-objects/text-object
 */
function slackMessage() {
  const plainText = (maxLength: number) =>
    object({ type: { const: 'plain_text' }, text: text(maxLength), emoji: { type: 'boolean' } });
  const markdown = object({ type: { const: 'mrkdwn' }, text: text(3_000), verbatim: { type: 'boolean' } });
  return object({
    text: text(40_000),
    mrkdwn: { type: 'boolean' },
    unfurl_links: { type: 'boolean' },
    unfurl_media: { type: 'boolean' },
    blocks: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        oneOf: [
          object({ type: { const: 'header' }, text: plainText(150) }),
          object(
            {
              type: { const: 'section' },
              text: plainText(3_000),
              fields: { type: 'array', minItems: 1, maxItems: 10, items: plainText(2_000) },
            },
            ['type', 'text'],
          ),
          object({
            type: { const: 'context' },
            elements: { type: 'array', minItems: 1, maxItems: 10, items: markdown },
          }),
        ],
      },
    },
  });
}

/**
 * https://learn.microsoft.com/en-us/microsoftteams/platform/webhooks-and-connectors/how-to/add-incoming-webhook
 * https://adaptivecards.io/explorer/AdaptiveCard.html (1.4)
 * https://adaptivecards.io/explorer/RichTextBlock.html and https://adaptivecards.io/explorer/TextRun.html
 */
function teamsMessage() {
  const run = object(
    {
      type: { const: 'TextRun' },
      text: text(10_000),
      weight: { enum: ['Default', 'Lighter', 'Bolder'] },
      size: { enum: ['Default', 'Small', 'Medium', 'Large', 'ExtraLarge'] },
      color: { enum: ['Default', 'Dark', 'Light', 'Accent', 'Good', 'Warning', 'Attention'] },
      isSubtle: { type: 'boolean' },
    },
    ['type', 'text'],
  );
  const card = object({
    $schema: { const: 'http://adaptivecards.io/schemas/adaptive-card.json' },
    type: { const: 'AdaptiveCard' },
    version: { enum: ['1.2', '1.3', '1.4', '1.5'] },
    body: {
      type: 'array',
      minItems: 1,
      items: object({
        type: { const: 'RichTextBlock' },
        inlines: { type: 'array', minItems: 1, items: run },
      }),
    },
    actions: {
      type: 'array',
      maxItems: 6,
      items: object({
        type: { const: 'Action.OpenUrl' },
        title: text(200),
        url: { type: 'string', format: 'uri' },
      }),
    },
  });
  return object({
    type: { const: 'message' },
    attachments: {
      type: 'array',
      minItems: 1,
      maxItems: 1,
      items: object({
        contentType: { const: 'application/vnd.microsoft.card.adaptive' },
        contentUrl: { type: 'null' },
        content: card,
      }),
    },
  });
}

/**
 * https://docs.discord.com/developers/resources/webhook#execute-webhook
 * https://docs.discord.com/developers/resources/message#embed-object-embed-limits
 * https://docs.discord.com/developers/resources/message#allowed-mentions-object
 */
function discordMessage() {
  return object({
    allowed_mentions: object({ parse: { type: 'array', maxItems: 0 } }),
    embeds: {
      type: 'array',
      minItems: 1,
      maxItems: 10,
      items: object(
        {
          title: text(256),
          description: text(4_096),
          url: { type: 'string', format: 'uri' },
          color: { type: 'integer', minimum: 0, maximum: 0xff_ff_ff },
          timestamp: { type: 'string', format: 'date-time' },
          fields: {
            type: 'array',
            maxItems: 25,
            items: object({ name: text(256), value: text(1_024), inline: { type: 'boolean' } }),
          },
        },
        ['title', 'description'],
      ),
    },
  });
}

/** https://docs.ntfy.sh/publish/#publish-as-json and https://docs.ntfy.sh/publish/#limitations */
function ntfyMessage() {
  return object({
    topic: { type: 'string', pattern: '^[-_A-Za-z0-9]{1,64}$' },
    title: text(250),
    message: text(4_096),
    tags: { type: 'array', items: text(64) },
    priority: { type: 'integer', minimum: 1, maximum: 5 },
    click: { type: 'string', format: 'uri' },
  });
}

/** https://gotify.net/api-docs#/message/createMessage and https://gotify.net/docs/msgextras */
function gotifyMessage() {
  return object({
    title: text(1_000),
    message: { type: 'string', minLength: 1 },
    priority: { type: 'integer', minimum: 0, maximum: 10 },
    extras: object({
      'client::display': object({ contentType: { enum: ['text/plain', 'text/markdown'] } }),
      'client::notification': object({ click: object({ url: { type: 'string', format: 'uri' } }) }),
    }),
  });
}
