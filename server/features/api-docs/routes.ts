import type { FastifyInstance } from 'fastify';
import { getOpenApiDocument } from '../../../contracts/api-docs.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { describeApi } from './document.ts';
import { referencePageRoutes } from './page.ts';
import { type StoredAnswer, sendStored, storeAnswer } from './stored-answer.ts';

/** The document as OpenAPI, and as a page for people. Each is built once, at the first request. */
export function apiDocsRoutes(app: FastifyInstance, { config }: Pick<Context, 'config'>): void {
  let document: Promise<StoredAnswer> | undefined;
  route(app, getOpenApiDocument, async ({ request, reply }) => {
    document ??= storeDocument(config.publicUrl);
    sendStored(request, reply, await document);
  });
  referencePageRoutes(app);
}

async function storeDocument(publicUrl: string): Promise<StoredAnswer> {
  return storeAnswer(JSON.stringify(await describeApi(publicUrl)), 'application/json');
}
