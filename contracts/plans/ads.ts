import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { blankAsAbsent } from '../transfers/transfers.ts';
import { Id, Instant, InstantInput, requiredText, textUpTo } from '../values/fields.ts';
import { MIB } from '../values/sizes.ts';
import { TITLE_MAX } from './limits.ts';

export const AD_TYPES = ['image', 'video'] as const;
export const AD_DURATION_DEFAULT = 5;
export const AD_DURATION_MAX = 60;
export const AD_PRIORITY_DEFAULT = 5;
export const AD_IMAGE_MAX_BYTES = 20 * MIB;
export const AD_VIDEO_MAX_BYTES = 200 * MIB;

const WebAddress = z
  .url({ protocol: /^https?$/, error: 'Please enter an address that begins with https://' })
  .max(2_000);

/** Forms send numbers as text. */
const formNumber = <Schema extends z.ZodType>(schema: Schema) =>
  blankAsAbsent(z.coerce.number().pipe(schema as never)) as unknown as z.ZodOptional<z.ZodNumber>;

export const AdInput = z
  .strictObject({
    type: z.enum(AD_TYPES),
    title: requiredText(TITLE_MAX, 'Title is required'),
    url: blankAsAbsent(WebAddress).describe('Where a click leads. Also what is shown if there is no file.'),
    videoType: blankAsAbsent(textUpTo(100)).describe(
      'MIME type of a video, or the kind of player. Ignored for images.',
    ),
    duration: formNumber(
      z
        .int()
        .min(1, 'Please enter at least 1 second')
        .max(AD_DURATION_MAX, `Please enter at most ${AD_DURATION_MAX} seconds`),
    ).describe('Seconds that an image is shown.'),
    priority: formNumber(z.int().min(1, 'Please enter 1 to 10').max(10, 'Please enter 1 to 10')),
    startDate: blankAsAbsent(InstantInput),
    endDate: blankAsAbsent(InstantInput),
    isActive: blankAsAbsent(z.union([z.boolean(), z.stringbool()])),
  })
  .describe('The text fields of the form. The file itself is in the field `file`.');
export type AdInput = z.infer<typeof AdInput>;

export const ShownAd = z
  .object({
    id: z.string(),
    type: z.enum(AD_TYPES),
    title: z.string(),
    url: z.string().nullable(),
    wasabiKey: z
      .string()
      .nullable()
      .describe('Not null if there is a stored file; `getAdFileUrl` returns its address.'),
    mimeType: z.string().nullable(),
    videoType: z.string().nullable(),
    duration: z.int(),
    priority: z.int(),
  })
  .describe('What a browser needs to show an ad.');
export type ShownAd = z.infer<typeof ShownAd>;

export const Ad = ShownAd.extend({
  linkUrl: z.string().nullable().describe('The same as `url`.'),
  filename: z.string().nullable(),
  size: z.int().nullable().describe('Bytes.'),
  startDate: Instant.nullable(),
  endDate: Instant.nullable(),
  isActive: z.boolean(),
  isShowing: z.boolean().describe('Whether it is active and today is within its dates.'),
  createdAt: Instant,
  views: z.int(),
  clicks: z.int(),
}).describe('An ad as administrators see it.');
export type Ad = z.infer<typeof Ad>;

const AdParams = z.object({ id: Id });

export const listActiveAds = defineEndpoint({
  method: 'GET',
  path: '/api/ads/active',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'The ads that run now; none for paid plans or before the first transfer',
  response: z.array(ShownAd),
});

export const getAdFileUrl = defineEndpoint({
  method: 'GET',
  path: '/api/ads/:id/file-url',
  access: 'signed-in',
  keyScope: 'none',
  summary: "A signed address of an ad's file",
  params: AdParams,
  response: z.object({ url: z.string() }),
});

export const showAdFile = defineEndpoint({
  method: 'GET',
  path: '/api/ad-files/:signature',
  access: 'public',
  summary: "An ad's image or video, by its signed address",
  description: 'The address comes from `getAdFileUrl`.',
  params: z.object({ signature: z.string().max(300) }),
  response: 'stream',
});

export const recordAdEvent = defineEndpoint({
  method: 'POST',
  path: '/api/ads/:id/events',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Record that an ad was shown or clicked',
  params: AdParams,
  body: z.object({ event: z.enum(['view', 'click']) }),
  response: 'empty',
});

export const listAds = defineEndpoint({
  method: 'GET',
  path: '/api/admin/ads',
  access: 'admin',
  summary: 'All ads, newest first',
  response: z.array(Ad),
});

export const createAd = defineEndpoint({
  method: 'POST',
  path: '/api/admin/ads',
  access: 'admin-step-up',
  summary: 'Create an ad',
  description:
    'Send multipart/form-data with the fields of `AdInput` and the file in `file`, which is optional with a `url`.',
  body: 'stream',
  response: Ad,
  status: 201,
});

export const updateAd = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/ads/:id',
  access: 'admin-step-up',
  summary: 'Change an ad; without a file it keeps its own',
  params: AdParams,
  body: 'stream',
  response: Ad,
});

export const toggleAd = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/ads/:id/active',
  access: 'admin-step-up',
  summary: 'Show or hide an ad',
  params: AdParams,
  body: z.strictObject({ isActive: z.boolean() }),
  response: Ad,
});

export const deleteAd = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/ads/:id',
  access: 'admin-step-up',
  summary: 'Delete an ad with its file',
  params: AdParams,
  response: 'empty',
});
