import { z } from 'zod';
import { defineEndpoint } from './endpoint.ts';

export const getHealth = defineEndpoint({
  method: 'GET',
  path: '/healthz',
  access: 'public',
  summary: 'Check that the process answers',
  response: z.object({ status: z.literal('ok') }),
});

export const getReadiness = defineEndpoint({
  method: 'GET',
  path: '/readyz',
  access: 'public',
  summary: 'Check that database and storage answer too',
  response: z.object({
    status: z.enum(['ok', 'degraded']).describe('`degraded`: uploads are refused, everything else works.'),
    problems: z.array(z.string()).optional().describe('What is wrong, one sentence each.'),
  }),
});
