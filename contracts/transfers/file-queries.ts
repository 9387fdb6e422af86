import { z } from 'zod';
import { FILES_PER_PAGE } from '../values/paging.ts';

export const FilesQuery = z.object({
  cursor: z
    .string()
    .max(1_000)
    .optional()
    .describe(
      '`nextFiles` of the transfer, or taken from the link to the next page. The first page by default.',
    ),
});

export const FirstFilesQuery = z.object({
  firstFiles: z.coerce
    .number()
    .int()
    .min(1)
    .max(FILES_PER_PAGE)
    .optional()
    .catch(undefined)
    .describe(
      'How many files the response contains at most; 1,000 by default. Ignored if it is not a valid number.',
    ),
});
