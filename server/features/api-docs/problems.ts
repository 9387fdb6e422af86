import { STATUS_CODES } from 'node:http';
import type { NamedEndpoint } from '../../../contracts/all-endpoints.ts';
import { ERRORS, type ErrorCode, errorTitle } from '../../../contracts/errors.ts';
import type { JsonSchema } from './schemas.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];
const BY_STATUS = Map.groupBy(CODES, (code) => ERRORS[code].status);

/** RFC 9457. */
export const PROBLEM_SCHEMA: JsonSchema = {
  type: 'object',
  description:
    'Problem details (RFC 9457). Other members contain the values in the sentence, such as `remaining` or `wait`.',
  properties: {
    type: { type: 'string', format: 'uri', examples: ['urn:sendwell:error:transfer_not_found'] },
    title: { type: 'string', description: 'A fixed phrase, the same for every problem of this type.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'A sentence that can be shown to people unchanged.' },
    code: {
      type: 'string',
      enum: CODES,
      description: 'Identifies the type of problem. Programs decide by this.',
    },
    errors: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description:
        'Only for `invalid_input`: one sentence per invalid field, keyed by its path (`recipientEmails.0`).',
    },
  },
  required: ['type', 'title', 'status', 'detail', 'code'],
};

export function describeProblems(): Record<string, object> {
  const statuses = [...BY_STATUS].sort(([one], [other]) => one - other);
  return {
    ...Object.fromEntries(
      statuses.map(([status, codes]) => [nameOf(status), describeProblem(status, codes)]),
    ),
    Problem: { description: 'Any other error.', content: contentOf(undefined) },
  };
}

export function problemReference(status: number | 'default'): { $ref: string } {
  return { $ref: `#/components/responses/${status === 'default' ? 'Problem' : nameOf(status)}` };
}

function describeProblem(status: number, codes: ErrorCode[]): object {
  const list = codes.map((code) => `- \`${code}\`: ${ERRORS[code].message}`);
  return {
    description: list.join('\n'),
    ...((status === 429 || status === 503) && {
      headers: { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
    }),
    ...(status === 401 && {
      headers: { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } },
    }),
    content: contentOf(codes.find(hasFixedSentence) ?? codes[0]),
  };
}

function contentOf(code: ErrorCode | undefined): object {
  const example = code && {
    type: `urn:sendwell:error:${code}`,
    title: errorTitle(code),
    status: ERRORS[code].status,
    detail: hasFixedSentence(code) ? ERRORS[code].message : errorTitle(code),
    code,
  };
  return {
    'application/problem+json': {
      schema: { $ref: '#/components/schemas/Problem' },
      ...(example && { example }),
    },
    'text/plain': {
      schema: {
        type: 'string',
        description: 'The sentence alone, for callers with a cookie that do not accept JSON.',
      },
    },
  };
}

function hasFixedSentence(code: ErrorCode): boolean {
  return !ERRORS[code].message.includes('{');
}

function nameOf(status: number): string {
  return (STATUS_CODES[status] ?? String(status)).replace(/\W/g, '');
}

/** Statuses in addition to those that follow from access and input. */
const BY_CONTRACT: Partial<Record<NamedEndpoint['contract'], number[]>> = {
  accounts: [409, 429],
  accountSettings: [402, 409, 429],
  apiKeys: [402, 409],
  backgrounds: [402, 410, 429],
  ads: [410],
  mailPreferences: [410],
  passwordReset: [410, 429],
  transfers: [402, 409, 413, 429],
  previews: [402, 410, 416, 423, 429],
  analytics: [402],
  invitations: [402, 409, 410, 413, 415, 429],
  uploads: [402, 409, 410, 413, 429, 507],
  downloads: [410, 416, 423, 429],
  billing: [402, 404, 409, 410, 429],
  adminUsers: [409],
  adminPlans: [409],
};

/** Other statuses are documented as `default`. */
export function listRefusals({ contract, endpoint }: NamedEndpoint): number[] {
  const { access, params, query, body, method } = endpoint;
  const statuses = [
    ...(query || body ? [400] : []),
    // 429: API keys and sessions have a call limit.
    ...(access === 'public' ? [] : [401, 403, 429]),
    ...(method === 'GET' ? [] : [403]),
    ...(params ? [404] : []),
    ...(body ? [413, 415] : []),
    ...(endpoint.idempotent ? [409, 422] : []),
    ...(BY_CONTRACT[contract] ?? []),
    503,
  ];
  return [...new Set(statuses)].sort((one, other) => one - other);
}
