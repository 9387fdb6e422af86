import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { verifyDownload } from '../../../../contracts/transfers/downloads/downloads.ts';
import { plainSharePath } from '../../../../contracts/values/addresses/links.ts';
import { KIB } from '../../../../contracts/values/sizes.ts';
import type { Context } from '../../../context.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { AppError, isAppError } from '../../../platform/lib/app-error.ts';
import { plainPathWithProblem } from '../page/plain-page.ts';
import { requireNotBlocked, type UnlockProof, unlockTransfer, viewTransfer } from './access.ts';
import { setGrantCookies } from './cookies.ts';

const FORM = 'application/x-www-form-urlencoded';
const FORM_BYTES = 8 * KIB;

export function passwordRoutes(app: FastifyInstance, context: Context): void {
  app.register(async (scope) => {
    acceptForms(scope);
    scope.addHook('preHandler', async (request, reply) => {
      if (isForm(request)) return handleForm(context, { request, reply });
    });
    route(scope, verifyDownload, ({ params: { token }, body: proof, request, reply }) =>
      unlock(context, { token, proof, exchange: { request, reply } }),
    );
  });
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };
type UnlockRequest = { token: string; proof: UnlockProof; exchange: Exchange };

async function unlock(context: Context, { token, proof, exchange }: UnlockRequest): Promise<void> {
  const { share, availability } = await viewTransfer(context, token, {
    grant: undefined,
    request: exchange.request,
  });
  requireNotBlocked(availability);
  if (availability === 'expired') throw new AppError('transfer_expired');
  const grant = await unlockTransfer(context, share, { ...proof, request: exchange.request });
  if (grant !== undefined) setGrantCookies(context, exchange.reply, { token, grant });
}

/** The only route that accepts forms. Cross-site posts are refused by their Origin, as for any write. */
function acceptForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: FORM_BYTES }, (_request, text, done) =>
    done(null, Object.fromEntries(new URLSearchParams(text as string))),
  );
}

function isForm({ headers }: FastifyRequest): boolean {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase() === FORM;
}

/** An encrypted transfer cannot be unlocked without script. */
const PasswordForm = z.object({ password: z.string().min(1).max(KIB) });

async function handleForm(context: Context, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply } = exchange;
  const params = verifyDownload.params!.safeParse(request.params);
  if (!params.success) throw new AppError('transfer_not_found');
  const { token } = params.data;
  const recipientToken = verifyDownload.query!.parse(request.query).r;
  const address = { token, recipientToken };
  try {
    const body = PasswordForm.safeParse(request.body);
    if (!body.success) throw new AppError('invalid_input');
    await unlock(context, { token, proof: { password: body.data.password }, exchange });
  } catch (error) {
    if (!isAppError(error)) throw error;
    request.server.security.recordRefusal(request, error);
    return reply.redirect(plainPathWithProblem(address, error.code), 303);
  }
  return reply.redirect(plainSharePath(token, recipientToken), 303);
}
