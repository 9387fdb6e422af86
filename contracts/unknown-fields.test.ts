import assert from 'node:assert/strict';
import test from 'node:test';
import { z } from 'zod';
import { allEndpoints } from './all-endpoints.ts';

/**
 * Calls whose fields change no lasting setting: signing in and up, codes and links from mails, the password of a
 * share, reports and counters. They ignore unknown fields because existing clients send additional ones.
 */
const TOLERANT = [
  'POST /api/account/secure',
  'POST /api/ads/:id/events',
  'POST /api/download/:token/report',
  'POST /api/download/:token/verify',
  'POST /api/email-change/undo',
  'POST /api/login',
  'POST /api/password-reset/confirm',
  'POST /api/password-reset/request',
  'POST /api/register',
  'POST /api/register/invitation',
  'POST /api/upload-invitations/:token/send-verification',
  'POST /api/upload-invitations/:token/verify',
  'POST /api/verify-email',
];

test('every JSON call that writes settings refuses unknown fields', () => {
  const tolerant = allEndpoints.flatMap(({ method, path, body }) => {
    if (!(body instanceof z.ZodType)) return [];
    const forms = body instanceof z.ZodDiscriminatedUnion ? (body.options as z.ZodType[]) : [body];
    return forms.every(refusesUnknownFields) ? [] : [`${method} ${path}`];
  });
  assert.deepEqual(tolerant.sort(), TOLERANT);
});

function refusesUnknownFields(schema: z.ZodType): boolean {
  const issues = schema.safeParse({ surprise: 1 }).error?.issues ?? [];
  return issues.some((issue) => issue.code === 'unrecognized_keys' && issue.keys.includes('surprise'));
}
