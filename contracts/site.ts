import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';
import { REGISTRATION_MODES } from './registration.ts';

/** What the pages that strangers see need to know about this installation. */
export const getSite = defineEndpoint({
  method: 'GET',
  path: '/api/site',
  access: 'public',
  summary: 'How this installation takes payments and registrations',
  response: z.object({
    payments: z.enum(['off', 'demo', 'stripe']),
    /** The demo, which gives paid plans away, runs at a public address. */
    isDemoPublic: z.boolean(),
    /** Premium has an address for priority support. */
    hasPrioritySupport: z.boolean(),
    registration: z.object({
      mode: z.enum(REGISTRATION_MODES),
      /** Whose addresses may register; only in the mode `domains`. */
      domains: z.array(z.string()),
    }),
  }),
});
export type Site = z.infer<typeof getSite.response>;
