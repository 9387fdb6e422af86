import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SITE_CARD_PATH, shareCardPath } from '../../../../contracts/values/addresses/links.ts';
import type { Context } from '../../../context.ts';
import type { LinkCard } from './card-picture.ts';
import { CardPictures } from './card-pictures.ts';
import { getLinkCard, SITE_CARD, versionOf } from './link-card.ts';

/** Short, because the card must not outlive a password or an expiry by long. Only the caller may keep it. */
const SHARE_CACHING = 'private, max-age=300';
const SITE_CACHING = 'public, max-age=86400';

/** Pictures of links for messengers. They send images, so they have no contract; shares pass the gate of the page. */
export function cardRoutes(app: FastifyInstance, context: Context): void {
  const pictures = new CardPictures(context);

  app.get(shareCardPath(':token'), async (request, reply) => {
    const { token } = request.params as { token: string };
    const card = await getLinkCard(context, token, request);
    return sendCard({ request, reply }, card, SHARE_CACHING);
  });

  app.get(SITE_CARD_PATH, (request, reply) => sendCard({ request, reply }, SITE_CARD, SITE_CACHING));

  async function sendCard(
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    card: LinkCard,
    caching: string,
  ) {
    const etag = `"${versionOf(card)}"`;
    reply.headers({
      etag,
      'cache-control': caching,
      // Web pages of messengers show it.
      'cross-origin-resource-policy': 'cross-origin',
    });
    if (request.headers['if-none-match'] === etag) return reply.code(304).send();
    return reply.type('image/png').send(await pictures.get(card, request));
  }
}
