import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { REGISTRATION_MODES } from './registration.ts';

export const getSite = defineEndpoint({
  method: 'GET',
  path: '/api/site',
  access: 'public',
  summary: 'How this installation takes payments and registrations',
  description: 'For pages that visitors see before they sign in.',
  response: z.object({
    payments: z.enum(['off', 'demo', 'stripe']),
    isDemoPublic: z
      .boolean()
      .describe('Whether the demo provider, which gives paid plans away, runs at a public address.'),
    hasPrioritySupport: z.boolean().describe('Whether Premium includes an address for priority support.'),
    registration: z.object({
      mode: z.enum(REGISTRATION_MODES),
      domains: z
        .array(z.string())
        .describe('Domains whose addresses may register. Only in the mode `domains`.'),
    }),
  }),
});
export type Site = z.infer<typeof getSite.response>;
