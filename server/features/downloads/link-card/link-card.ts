import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { nameTransfer } from '../../../../contracts/transfers/names.ts';
import { SITE_CARD_PATH, shareCardPath, sharePath } from '../../../../contracts/values/addresses/links.ts';
import { countOf } from '../../../../contracts/values/format.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { type Html, html } from '../../../platform/http/pages/html.ts';
import { isAppError } from '../../../platform/lib/app-error.ts';
import { viewTransfer } from '../access/access.ts';
import { findShare, type Share } from '../queries.ts';
import { CARD_HEIGHT, CARD_WIDTH, type LinkCard } from './card-picture.ts';

/** For links whose transfer may not be described, and for everything else that is shared. */
export const SITE_CARD: LinkCard = {
  title: 'Share Files Simply',
  detail: 'Send files of any size with a link that keeps its promises.',
  sender: undefined,
};

/** Change it when the picture changes, because messengers keep pictures by their address. */
const DESIGN = 1;

/**
 * Only an open transfer without a password is described, whatever cookies the request has, because the card is shown
 * to people who have not opened the link. It never shows file names, messages or pictures, and of an encrypted transfer
 * only count and size. Throws what `viewTransfer` throws.
 */
export async function getLinkCard(
  context: Context,
  token: string,
  request: FastifyRequest,
): Promise<LinkCard> {
  const { share, availability } = await viewTransfer(context, token, { grant: undefined, request });
  if (availability === 'locked' && share.encryption !== null && !isScheduled(share, context.clock.now()))
    return describeEncrypted(share);
  return availability === 'open' ? describeShare(share) : SITE_CARD;
}

function isScheduled({ scheduledAvailableAt }: Share, now: number): boolean {
  return scheduledAvailableAt !== null && scheduledAvailableAt > now;
}

function describeEncrypted({ encryption, fileCount, totalBytes }: Share): LinkCard {
  const detail = `${countOf(fileCount, 'file')} · ${formatSize(totalBytes)}`;
  return { title: nameTransfer({ encryption }), detail, sender: undefined };
}

function describeShare({ title, fileCount, totalBytes, ownerName }: Share): LinkCard {
  const files = countOf(fileCount, 'file');
  const detail = `${files} · ${formatSize(totalBytes)}`;
  if (title !== null) return { title, detail, sender: ownerName };
  return { title: `${ownerName} sent you ${files}`, detail, sender: undefined };
}

/** Equal for cards that look alike. */
export function versionOf(card: LinkCard): string {
  const facts = JSON.stringify([DESIGN, card.title, card.detail, card.sender]);
  return createHash('sha256').update(facts).digest('base64url').slice(0, 16);
}

/**
 * Open Graph and Twitter tags for the head of a page that guests open. Without a token, of an unknown one, and when the
 * database fails, the site's own card, so that the page loads in any case.
 */
export async function renderLinkCard(
  context: Context,
  token: string | undefined,
  request: FastifyRequest,
): Promise<Html> {
  if (token === undefined) return renderTags(context, SITE_CARD, undefined);
  try {
    const card = await getLinkCard(context, token, request);
    return renderTags(context, card, card === SITE_CARD ? undefined : token);
  } catch (error) {
    if (!isAppError(error)) context.log.warn({ err: error }, 'Could not describe a link.');
    return renderTags(context, SITE_CARD, undefined);
  }
}

/** False also for unknown tokens, and when the database fails, so that the page loads in any case. */
export async function isEncryptedShare(
  { db, log }: Pick<Context, 'db' | 'log'>,
  token: string,
): Promise<boolean> {
  try {
    return (await findShare(db, token))?.encryption != null;
  } catch (error) {
    log.warn({ err: error }, 'Could not look up a link.');
    return false;
  }
}

function renderTags(
  { config: { publicUrl } }: Pick<Context, 'config'>,
  card: LinkCard,
  token: string | undefined,
): Html {
  const { title, detail, sender } = card;
  const path = token === undefined ? SITE_CARD_PATH : shareCardPath(token);
  const picture = `${publicUrl}${path}?v=${versionOf(card)}`;
  const description = sender === undefined ? detail : `${detail} from ${sender}`;
  const tags = [
    ['og:site_name', 'Sendwell'],
    ['og:type', 'website'],
    ...(token === undefined ? [] : [['og:url', publicUrl + sharePath(token)]]),
    ['og:title', title],
    ['og:description', description],
    ['og:image', picture],
    ['og:image:type', 'image/png'],
    ['og:image:width', String(CARD_WIDTH)],
    ['og:image:height', String(CARD_HEIGHT)],
    ['og:image:alt', `${title}. ${description}`],
  ].map(([property, content]) => html`<meta property="${property!}" content="${content!}">`);
  return html`${tags}<meta name="twitter:card" content="summary_large_image"><meta name="twitter:title" content="${title}"><meta name="twitter:description" content="${description}"><meta name="twitter:image" content="${picture}">`;
}
