import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { RecentDownload, Transfer } from '../transfers/transfers.ts';
import { Id, Instant, lineUpTo } from '../values/fields.ts';
import { formatCount } from '../values/format.ts';
import { RECOVERY_REASONS } from './settings.ts';
import { ACCESS_TOKEN_MAX, findAddressProblem, hasAccessToken, WEBHOOK_FORMATS } from './webhook-formats.ts';

export const WEBHOOK_EVENTS = [
  'transfer.ready',
  'transfer.viewed',
  'transfer.downloaded',
  'transfer.completed',
  'transfer.expired',
  'transfer.damaged',
  'invitation.received',
] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const WebhookEventType = z
  .enum([...WEBHOOK_EVENTS, 'test'])
  .describe('`test` is sent on request and needs no subscription.');
export type WebhookEventType = z.infer<typeof WebhookEventType>;

export const MAX_WEBHOOKS = 10;
const URL_MAX = 2_000;
const DESCRIPTION_MAX = 200;
/** Size limit for a logged response. */
export const WEBHOOK_ANSWER_BYTES = 8 * 1024;
/** How long the old secret stays valid after a rotation. */
export const OLD_SECRET_HOURS = 24;
/** Days for which deliveries are listed and can be resent. */
export const DELIVERY_DAYS = 30;
/** An event `transfer.damaged` lists at most this many files. */
export const DAMAGED_FILES_NAMED = 1_000;
export const DELIVERIES_PER_PAGE_MAX = 100;
export const DELIVERIES_PER_PAGE = 20;

/** The server decides which hosts are allowed. */
const WebhookUrl = z
  .string()
  .trim()
  .max(URL_MAX, `Please use at most ${formatCount(URL_MAX)} characters.`)
  .refine(isWebAddress, 'Please enter an address that begins with https://');

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '');
}

const Events = z
  .array(z.enum(WEBHOOK_EVENTS))
  .min(1, 'Please choose at least one event')
  .transform((events) => WEBHOOK_EVENTS.filter((event) => events.includes(event)));

const AccessToken = z
  .string()
  .trim()
  .max(ACCESS_TOKEN_MAX, `Please use at most ${formatCount(ACCESS_TOKEN_MAX)} characters.`)
  .regex(/^[\x21-\x7e]*$/, 'A token has no spaces and only plain characters.')
  .nullish()
  .describe('For ntfy (optional) and Gotify (or in the URL as `token`). Never shown again.');

export const CreateWebhookInput = z
  .strictObject({
    format: z
      .enum(WEBHOOK_FORMATS)
      .default('sendwell')
      .describe(
        '`sendwell`: signed events for programs. The others: messages for people, made for one service, in the language of the account. It cannot be changed later.',
      ),
    url: WebhookUrl,
    accessToken: AccessToken,
    events: Events,
    description: lineUpTo(DESCRIPTION_MAX).nullish(),
  })
  .superRefine(({ format, url, accessToken }, context) => {
    const problem = findAddressProblem(format, url);
    if (problem) context.addIssue({ code: 'custom', path: ['url'], message: problem });
    if (accessToken && !hasAccessToken(format))
      context.addIssue({ code: 'custom', path: ['accessToken'], message: 'This format needs no token.' });
    if (format === 'gotify' && !accessToken && !URL.parse(url)?.searchParams.get('token'))
      context.addIssue({
        code: 'custom',
        path: ['accessToken'],
        message: 'Please enter the token of the app that you created in Gotify.',
      });
  });
export type CreateWebhookInput = z.infer<typeof CreateWebhookInput>;

export const UpdateWebhookInput = z
  .strictObject({
    url: WebhookUrl.optional(),
    accessToken: AccessToken.describe('Null removes it.'),
    events: Events.optional(),
    description: lineUpTo(DESCRIPTION_MAX).nullish(),
    isActive: z.boolean().optional().describe('Enabling a webhook clears its earlier failures.'),
  })
  .describe('Omitted fields stay as they are; null or an empty description removes it.');
export type UpdateWebhookInput = z.infer<typeof UpdateWebhookInput>;

export const Webhook = z.object({
  id: z.string(),
  format: z.enum(WEBHOOK_FORMATS),
  url: z.string().describe('Shortened unless `format` is `sendwell`, because it contains a secret.'),
  hasAccessToken: z.boolean(),
  description: z.string().nullable(),
  events: z.array(z.enum(WEBHOOK_EVENTS)),
  isActive: z.boolean(),
  disabledReason: z
    .enum(['gone', 'failing', ...RECOVERY_REASONS])
    .nullable()
    .describe(
      'Why Sendwell disabled it: its receiver is gone, its receiver keeps failing, or the account was recovered. Null if Sendwell did not disable it.',
    ),
  disabledAt: Instant.nullable().describe('When an account recovery disabled it.'),
  failingSince: Instant.nullable().describe(
    'Since when every attempt has failed. Null if the last one succeeded or there was none.',
  ),
  oldSecretUntil: Instant.nullable().describe(
    'Until when deliveries are also signed with the previous secret.',
  ),
  createdAt: Instant,
});
export type Webhook = z.infer<typeof Webhook>;

const WebhookSecret = z.object({
  secret: z.string().describe('`whsec_` and the Base64 of 32 random bytes, the format of Standard Webhooks.'),
});

const WebhookParams = z.object({ id: Id });

export const listWebhooks = defineEndpoint({
  method: 'GET',
  path: '/api/webhooks',
  access: 'signed-in',
  summary: "The caller's webhooks, oldest first (Premium)",
  response: z.array(Webhook),
});

export const createWebhook = defineEndpoint({
  method: 'POST',
  path: '/api/webhooks',
  access: 'step-up',
  keyScope: 'write',
  idempotent: true,
  summary:
    'Create a webhook, which posts events to your address or to Slack, Teams, Discord, ntfy or Gotify (Premium)',
  body: CreateWebhookInput,
  compressible: false,
  response: Webhook.extend({
    secret: WebhookSecret.shape.secret
      .nullable()
      .describe('Null unless `format` is `sendwell`: nothing is signed.'),
  }),
  status: 201,
});

export const updateWebhook = defineEndpoint({
  method: 'PATCH',
  path: '/api/webhooks/:id',
  access: 'step-up',
  keyScope: 'write',
  summary: 'Change a webhook, or switch it on and off',
  params: WebhookParams,
  body: UpdateWebhookInput,
  response: Webhook,
});

export const deleteWebhook = defineEndpoint({
  method: 'DELETE',
  path: '/api/webhooks/:id',
  access: 'step-up',
  keyScope: 'write',
  summary: 'Delete a webhook with the log of its deliveries',
  params: WebhookParams,
  response: 'empty',
});

export const getWebhookSecret = defineEndpoint({
  method: 'GET',
  path: '/api/webhooks/:id/secret',
  access: 'step-up',
  // A read-only key must not be able to sign.
  keyScope: 'write',
  summary: 'The secret a webhook signs with',
  description: 'Only webhooks of the format `sendwell` sign.',
  params: WebhookParams,
  compressible: false,
  response: WebhookSecret,
});

export const rotateWebhookSecret = defineEndpoint({
  method: 'POST',
  path: '/api/webhooks/:id/secret',
  access: 'step-up',
  keyScope: 'write',
  summary: `Replace the secret of a webhook; the old secret stays valid for ${OLD_SECRET_HOURS} hours`,
  params: WebhookParams,
  compressible: false,
  response: Webhook.extend(WebhookSecret.shape),
});

export const DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export const WebhookDelivery = z
  .object({
    id: z.string().describe('The value of the header `webhook-id`, the same in every attempt.'),
    type: WebhookEventType,
    state: z.enum(DELIVERY_STATES),
    createdAt: Instant.describe('When the event happened.'),
    attempts: z.int().describe('Attempts so far. A replay starts again at zero.'),
    lastTriedAt: Instant.nullable(),
    nextTryAt: Instant.nullable().describe('Null if no attempt is scheduled.'),
    status: z.int().nullable().describe('HTTP status of the last answer. Null if there was none.'),
    error: z.string().nullable().describe('Why the last attempt failed, in a sentence.'),
    durationMs: z.int().nullable(),
  })
  .describe('The delivery of one event to one webhook.');
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

const HeaderList = z.array(z.object({ name: z.string(), value: z.string() }));

export const WebhookDeliveryDetail = WebhookDelivery.extend({
  request: z
    .object({ url: z.string(), headers: HeaderList, body: z.string() })
    .describe(
      'The last attempt as it was sent, without secrets of other services. Headers are empty before the first attempt.',
    ),
  response: z
    .object({
      headers: HeaderList,
      body: z.string().describe('The first 8 KiB.'),
      isTruncated: z.boolean(),
    })
    .nullable(),
});
export type WebhookDeliveryDetail = z.infer<typeof WebhookDeliveryDetail>;

export const testWebhook = defineEndpoint({
  method: 'POST',
  path: '/api/webhooks/:id/test',
  access: 'signed-in',
  summary: 'Send a test event',
  params: WebhookParams,
  response: WebhookDelivery,
  status: 202,
});

export const listWebhookDeliveries = defineEndpoint({
  method: 'GET',
  path: '/api/webhooks/:id/deliveries',
  access: 'signed-in',
  summary: 'What was sent to a webhook within 30 days, newest first',
  params: WebhookParams,
  query: z.object({
    state: z.enum(DELIVERY_STATES).optional(),
    limit: z.coerce.number().int().min(1).max(DELIVERIES_PER_PAGE_MAX).optional(),
    cursor: z.string().max(1_000).optional().describe('Taken from the link to the next page.'),
  }),
  paged: true,
  response: z.array(WebhookDelivery),
});

const DeliveryParams = WebhookParams.extend({ deliveryId: Id });

export const getWebhookDelivery = defineEndpoint({
  method: 'GET',
  path: '/api/webhooks/:id/deliveries/:deliveryId',
  access: 'signed-in',
  summary: 'A delivery with what was sent and what was answered',
  params: DeliveryParams,
  response: WebhookDeliveryDetail,
});

export const replayWebhookDelivery = defineEndpoint({
  method: 'POST',
  path: '/api/webhooks/:id/deliveries/:deliveryId/replay',
  access: 'signed-in',
  summary: 'Send a delivery again immediately, with the same webhook-id and body',
  params: DeliveryParams,
  response: WebhookDelivery,
  status: 202,
});

/** The JSON body of a delivery. `timestamp`: when the event happened. */
const payloadOf = <Type extends WebhookEventType, Data extends z.ZodType>(type: Type, data: Data) =>
  z.object({ type: z.literal(type), timestamp: Instant, data });

export const WebhookPayload = z.discriminatedUnion('type', [
  payloadOf('transfer.ready', z.object({ transfer: Transfer })),
  payloadOf(
    'transfer.viewed',
    z.object({ transfer: Transfer, view: z.object({ viewedAt: Instant, referer: z.string().nullable() }) }),
  ),
  payloadOf(
    'transfer.downloaded',
    z.object({
      transfer: Transfer,
      download: RecentDownload.pick({
        id: true,
        downloadedAt: true,
        fileId: true,
        selectedFiles: true,
        recipientEmail: true,
      }).extend({ completedAt: Instant }),
    }),
  ),
  /** The first download by a personal link. */
  payloadOf(
    'transfer.completed',
    z.object({ transfer: Transfer, recipient: z.object({ email: z.string(), downloadedAt: Instant }) }),
  ),
  payloadOf('transfer.expired', z.object({ transfer: Transfer })),
  /** Stored files are damaged and cannot be downloaded until they are uploaded again. */
  payloadOf(
    'transfer.damaged',
    z.object({
      transfer: Transfer,
      files: z
        .array(z.object({ id: z.string(), relativePath: z.string() }))
        .describe(`At most ${DAMAGED_FILES_NAMED} of the files, sorted by path.`),
      fileCount: z.number().int().describe('Also counts files that are not listed.'),
    }),
  ),
  payloadOf('invitation.received', z.object({ transfer: Transfer, invitationId: z.string().nullable() })),
  payloadOf('test', z.object({ webhookId: z.string(), message: z.string() })),
]);
export type WebhookPayload = z.infer<typeof WebhookPayload>;
