import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { sharePath } from '../../../contracts/values/addresses/links.ts';
import { isStorableText } from '../../../contracts/values/fields.ts';
import type { Context } from '../../context.ts';
import { limitUnknownTokens } from '../downloads/index.ts';
import { findTokenOfAddress, oldAddress } from './addresses.ts';

/** Longer than any id, alias or token of these products. */
const KEY_MAX = 200;
const Key = z.string().min(1).max(KEY_MAX).refine(isStorableText);

const InPath = z.object({ id: Key });
const InQuery = z.object({ id: Key });
const PublicFile = z.object({ id: Key, token: Key });

/** Browsers follow old links, so these are pages and have no contracts. */
export function oldAddressRoutes(app: FastifyInstance, context: Context): void {
  const redirect = (path: string, read: (request: FastifyRequest) => string | undefined) =>
    app.get(path, (request, reply) => void follow(context, { request, reply, address: read(request) }));
  for (const path of ['/s/:id', '/share/:id']) redirect(path, inPath(oldAddress.share));
  for (const path of ['/h/:id', '/hotlink/:id']) redirect(path, inPath(oldAddress.hotlink));
  for (const path of ['/d', '/downloadFile']) redirect(path, inQuery(oldAddress.download));
  redirect('/d/:id/:name', inPath(oldAddress.download));
  redirect('/download.php', ({ query }) => {
    const { data } = PublicFile.safeParse(query);
    return data && oldAddress.publicFile(data.id, data.token);
  });
}

function inPath(toAddress: (id: string) => string) {
  return ({ params }: FastifyRequest) => {
    const { data } = InPath.safeParse(params);
    return data && toAddress(data.id);
  };
}

function inQuery(toAddress: (id: string) => string) {
  return ({ query }: FastifyRequest) => {
    const { data } = InQuery.safeParse(query);
    return data && toAddress(data.id);
  };
}

type Exchange = { request: FastifyRequest; reply: FastifyReply; address: string | undefined };

/** Temporary, because the transfer may be deleted, and the address then answers like any unknown one. */
async function follow(context: Context, { request, reply, address }: Exchange): Promise<void> {
  try {
    const token = address === undefined ? undefined : await findTokenOfAddress(context.db, address);
    if (token !== undefined)
      return void reply.header('cache-control', 'no-store').redirect(sharePath(token), 302);
    await limitUnknownTokens(context, request);
    // Its handler is asynchronous; a reply that two handlers wait for has more listeners than Node expects.
    reply.callNotFound();
  } catch (error) {
    reply.send(error);
  }
}
