import { z } from 'zod';
import { Id } from './common.ts';
import { defineEndpoint } from './endpoint.ts';

/**
 * What a caller may decide in the address, or in headers of the same names with `Sendwell-` before them
 * (`Sendwell-Expiration-Days`); see `contracts/text-settings.ts`.
 */
export const putFile = defineEndpoint({
  method: 'PUT',
  path: '/api/files/:name',
  access: 'signed-in',
  summary: 'Send one file as the body (`curl -T`); answers its share link',
  params: z.object({ name: z.string() }),
  query: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
  body: 'stream',
  response: 'stream',
  status: 201,
});

/** The answer to who asks for JSON; others get the link alone, as a line of text. */
export const SentFile = z.object({
  link: z.string(),
  token: z.string(),
  transferId: Id,
  file: z.object({
    id: Id,
    name: z.string(),
    /** Bytes. */
    size: z.int(),
  }),
});
export type SentFile = z.infer<typeof SentFile>;
