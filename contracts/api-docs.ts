import { defineEndpoint } from './endpoint.ts';

/** Also what the reference page at `/docs/api` is drawn from. Answers If-None-Match. */
export const getOpenApiDocument = defineEndpoint({
  method: 'GET',
  path: '/api/openapi.json',
  access: 'public',
  summary: 'This document: every call as OpenAPI 3.1',
  response: 'stream',
});

/** The page for people. No page of the application: the server draws it by itself. */
export const API_REFERENCE_PATH = '/docs/api';
