import { z } from 'zod';
import { defineEndpoint } from '../endpoint.ts';
import { ShareToken } from '../values/fields.ts';
import { MIB } from '../values/sizes.ts';

export const BACKGROUND_MAX_BYTES = 20 * MIB;

const BackgroundUrl = z.object({
  url: z.string().nullable().describe('A signed address, valid for an hour. Null if there is no background.'),
});

export const getBackgroundUrl = defineEndpoint({
  method: 'GET',
  path: '/api/user/background-url',
  access: 'signed-in',
  summary: "The caller's own download background",
  response: BackgroundUrl,
});

export const setBackground = defineEndpoint({
  method: 'POST',
  path: '/api/user/background',
  access: 'signed-in',
  summary: 'Upload or replace the background of the download pages; premium',
  description: 'Send multipart/form-data with the picture in the field `background`.',
  body: 'stream',
  response: BackgroundUrl,
});

export const removeBackground = defineEndpoint({
  method: 'DELETE',
  path: '/api/user/background',
  access: 'signed-in',
  summary: 'Remove the background of the download pages',
  response: 'empty',
});

export const getDownloadBackgroundUrl = defineEndpoint({
  method: 'GET',
  path: '/api/download/:token/background-url',
  access: 'public',
  summary: "The sender's background for a download page",
  params: z.object({ token: ShareToken }),
  response: BackgroundUrl,
});

export const showBackground = defineEndpoint({
  method: 'GET',
  path: '/api/backgrounds/:signature',
  access: 'public',
  summary: 'A background picture, by its signed address',
  description:
    'The address comes from `getBackgroundUrl` or `getDownloadBackgroundUrl`. Returns WebP, at most 2,560 pixels wide.',
  params: z.object({ signature: z.string().max(300) }),
  query: z.object({ size: z.enum(['small', 'large']).optional() }),
  response: 'stream',
});
