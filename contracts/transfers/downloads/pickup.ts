import { z } from 'zod';
import { defineEndpoint } from '../../endpoint.ts';
import { Id, Instant } from '../../values/fields.ts';

/** Without vowels, so that no words appear; Y is left out because people mix it up with I. */
export const PICKUP_ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
export const PICKUP_LENGTH = 6;
export const PICKUP_HOURS = 24;

const CODE_PATTERN = new RegExp(`^[${PICKUP_ALPHABET}]{${PICKUP_LENGTH}}$`);

/** Accepts spaces, hyphens and lower case. Returns undefined if the text can't be a code. */
export function parsePickupCode(text: string): string | undefined {
  const code = text.replace(/[\s-]/g, '').toUpperCase();
  return CODE_PATTERN.test(code) ? code : undefined;
}

/** 'KVX RMD', which is easier to read aloud. */
export function formatPickupCode(code: string): string {
  return `${code.slice(0, PICKUP_LENGTH / 2)} ${code.slice(PICKUP_LENGTH / 2)}`;
}

export const PickupCode = z.object({
  code: z.string().describe(`${PICKUP_LENGTH} letters.`),
  expiresAt: Instant,
});
export type PickupCode = z.infer<typeof PickupCode>;

const OwnTransfer = z.object({ id: Id });

export const getPickupCode = defineEndpoint({
  method: 'GET',
  path: '/api/transfers/:id/pickup-code',
  access: 'signed-in',
  summary: 'The pickup code of a transfer, if it has one that is valid',
  params: OwnTransfer,
  compressible: false,
  response: z.object({ pickupCode: PickupCode.nullable() }),
});

export const createPickupCode = defineEndpoint({
  method: 'POST',
  path: '/api/transfers/:id/pickup-code',
  access: 'signed-in',
  keyScope: 'write',
  summary: 'Create a pickup code, which replaces an earlier one',
  description: `Six letters that lead to the download page for ${PICKUP_HOURS} hours, for sharing a link by voice. All rules of the transfer apply. Not for encrypted transfers, whose key is only in the link.`,
  params: OwnTransfer,
  compressible: false,
  response: PickupCode,
});

export const deletePickupCode = defineEndpoint({
  method: 'DELETE',
  path: '/api/transfers/:id/pickup-code',
  access: 'signed-in',
  keyScope: 'write',
  summary: 'Void the pickup code of a transfer',
  params: OwnTransfer,
  response: 'empty',
});

export const PickupInput = z.strictObject({
  code: z
    .string()
    .max(40, 'A pickup code has six letters.')
    .refine((text) => parsePickupCode(text) !== undefined, 'A pickup code has six letters.'),
});

export const pickUp = defineEndpoint({
  method: 'POST',
  path: '/api/pickup',
  access: 'public',
  summary: 'Find the share token of a pickup code',
  description: 'Wrong codes are limited per address and for the whole server.',
  body: PickupInput,
  response: z.object({ token: z.string() }),
});
