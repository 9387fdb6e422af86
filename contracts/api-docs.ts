import { defineEndpoint } from './endpoint.ts';

export const getOpenApiDocument = defineEndpoint({
  method: 'GET',
  path: '/api/openapi.json',
  access: 'public',
  summary: 'This document: every call as OpenAPI 3.1',
  description: 'The reference page at `/docs/api` is drawn from it. Supports `If-None-Match`.',
  response: 'stream',
});

/** The page for people. No page of the application: the server draws it by itself. */
export const API_REFERENCE_PATH = '/docs/api';
