import { z } from 'zod';
import { REGISTRATION_MODES } from './accounts/registration.ts';
import { defineEndpoint } from './endpoint.ts';

export const getHealth = defineEndpoint({
  method: 'GET',
  path: '/healthz',
  access: 'public',
  summary: 'Check that the process responds',
  response: z.object({ status: z.literal('ok') }),
});

export const getReadiness = defineEndpoint({
  method: 'GET',
  path: '/readyz',
  access: 'public',
  summary: 'Check that database and storage respond too',
  response: z.object({
    status: z.enum(['ok', 'degraded']).describe('`degraded`: uploads are refused, everything else works.'),
    problems: z.array(z.string()).optional().describe('What is wrong, one sentence each.'),
  }),
});

export const getSite = defineEndpoint({
  method: 'GET',
  path: '/api/site',
  access: 'public',
  summary: 'How this installation takes payments and registrations',
  description: 'For pages that visitors see before they sign in.',
  response: z.object({
    signIn: z.object({
      passwordMinLength: z.int().describe('Characters of a new password. Administrators need at least 12.'),
      emailLink: z.boolean().describe('Whether people may sign in with an emailed link.'),
    }),
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

export const getOpenApiDocument = defineEndpoint({
  method: 'GET',
  path: '/api/openapi.json',
  access: 'public',
  summary: 'This document: every call as OpenAPI 3.1',
  description: 'The reference page at `/docs/api` is generated from it. Supports `If-None-Match`.',
  response: 'stream',
});

/** Rendered by the server; not part of the app. */
export const API_REFERENCE_PATH = '/docs/api';
