import { z } from 'zod';
import { Id } from './common.ts';
import { defineEndpoint } from './endpoint.ts';

export const putFile = defineEndpoint({
  method: 'PUT',
  path: '/api/files/:name',
  access: 'signed-in',
  summary: 'Send one file as the body (`curl -T`); answers its share link',
  description:
    'Settings of the transfer go into the query, or into headers with the same names after `Sendwell-`, such as `Sendwell-Expiration-Days`.',
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
