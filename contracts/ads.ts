import { z } from 'zod';
import { Id, Instant, InstantInput, requiredText, textUpTo } from './common.ts';
import { defineEndpoint } from './endpoint.ts';
import { TITLE_MAX } from './limits.ts';
import { MIB } from './sizes.ts';
import { blankAsAbsent } from './transfers.ts';

export const AD_TYPES = ['image', 'video'] as const;
export const AD_DURATION_DEFAULT = 5;
export const AD_DURATION_MAX = 60;
export const AD_PRIORITY_DEFAULT = 5;
/** Largest file of an ad in bytes. */
export const AD_IMAGE_MAX_BYTES = 20 * MIB;
export const AD_VIDEO_MAX_BYTES = 200 * MIB;

const WebAddress = z
  .url({ protocol: /^https?$/, error: 'Please give an address that begins with https://' })
  .max(2_000);

/** A number as forms send it. */
const formNumber = <Schema extends z.ZodType>(schema: Schema) =>
  blankAsAbsent(z.coerce.number().pipe(schema as never)) as unknown as z.ZodOptional<z.ZodNumber>;

/** The text fields of the form; the file is its field `file`. Specification section 5. */
export const AdInput = z.strictObject({
  type: z.enum(AD_TYPES),
  title: requiredText(TITLE_MAX, 'Title is required'),
  /** Where a click leads; what is shown, too, when there is no file. */
  url: blankAsAbsent(WebAddress),
  /** Of a video: its MIME type, or the kind of player; of no meaning for images. */
  videoType: blankAsAbsent(textUpTo(100)),
  /** Seconds that an image is shown. */
  duration: formNumber(
    z
      .int()
      .min(1, 'Please give at least 1 second')
      .max(AD_DURATION_MAX, `Please give at most ${AD_DURATION_MAX} seconds`),
  ),
  priority: formNumber(z.int().min(1, 'Please give 1 to 10').max(10, 'Please give 1 to 10')),
  startDate: blankAsAbsent(InstantInput),
  endDate: blankAsAbsent(InstantInput),
  isActive: blankAsAbsent(z.union([z.boolean(), z.stringbool()])),
});
export type AdInput = z.infer<typeof AdInput>;

/** What a browser needs to show an ad. Names as in section 3 of the specification. */
export const ShownAd = z.object({
  id: z.string(),
  type: z.enum(AD_TYPES),
  title: z.string(),
  url: z.string().nullable(),
  /** Whether there is a stored file, whose address `/file-url` gives; the key itself stays here. */
  wasabiKey: z.string().nullable(),
  mimeType: z.string().nullable(),
  videoType: z.string().nullable(),
  duration: z.int(),
  priority: z.int(),
});
export type ShownAd = z.infer<typeof ShownAd>;

/** An ad as administrators see it. */
export const Ad = ShownAd.extend({
  /** The same as `url`, under the name of the specification's admin area. */
  linkUrl: z.string().nullable(),
  filename: z.string().nullable(),
  /** Bytes. */
  size: z.int().nullable(),
  startDate: Instant.nullable(),
  endDate: Instant.nullable(),
  isActive: z.boolean(),
  /** Active, and now lies between its dates. */
  isShowing: z.boolean(),
  createdAt: Instant,
  views: z.int(),
  clicks: z.int(),
});
export type Ad = z.infer<typeof Ad>;

const AdParams = z.object({ id: Id });

export const listActiveAds = defineEndpoint({
  method: 'GET',
  path: '/api/ads/active',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'The ads that run now; none for paid plans',
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

/** Where the signed addresses lead. */
export const showAdFile = defineEndpoint({
  method: 'GET',
  path: '/api/ad-files/:signature',
  access: 'public',
  summary: "An ad's picture or film, by its signed address",
  params: z.object({ signature: z.string().max(300) }),
  response: 'stream',
});

export const noteAdEvent = defineEndpoint({
  method: 'POST',
  path: '/api/ads/:id/events',
  access: 'signed-in',
  keyScope: 'none',
  summary: 'Note that an ad was shown or clicked',
  params: AdParams,
  body: z.object({ event: z.enum(['view', 'click']) }),
  response: 'empty',
});

export const listAds = defineEndpoint({
  method: 'GET',
  path: '/api/admin/ads',
  access: 'admin',
  summary: 'All ads, the newest first',
  response: z.array(Ad),
});

/** multipart/form-data: the fields of `AdInput`, and the file in `file` (optional with a url). */
export const createAd = defineEndpoint({
  method: 'POST',
  path: '/api/admin/ads',
  access: 'admin',
  summary: 'Create an ad',
  body: 'stream',
  response: Ad,
  status: 201,
});

export const updateAd = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/ads/:id',
  access: 'admin',
  summary: 'Change an ad; without a file its own stays',
  params: AdParams,
  body: 'stream',
  response: Ad,
});

export const toggleAd = defineEndpoint({
  method: 'PUT',
  path: '/api/admin/ads/:id/active',
  access: 'admin',
  summary: 'Show an ad, or not',
  params: AdParams,
  body: z.strictObject({ isActive: z.boolean() }),
  response: Ad,
});

export const deleteAd = defineEndpoint({
  method: 'DELETE',
  path: '/api/admin/ads/:id',
  access: 'admin',
  summary: 'Delete an ad with its file',
  params: AdParams,
  response: 'empty',
});
