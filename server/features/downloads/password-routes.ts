import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { verifyDownload } from '../../../contracts/transfers/downloads.ts';
import { plainSharePath } from '../../../contracts/values/links.ts';
import { KIB } from '../../../contracts/values/sizes.ts';
import type { Context } from '../../context.ts';
import { route } from '../../platform/http/route.ts';
import { AppError, isAppError } from '../../platform/lib/app-error.ts';
import { refuseClosed, viewTransfer } from './access.ts';
import { setGrantCookies } from './cookies.ts';
import { unlockTransfer } from './password-grants.ts';
import { plainPathWithProblem } from './plain-page.ts';

const FORM = 'application/x-www-form-urlencoded';
const FORM_BYTES = 8 * KIB;

/** Unlocking, as the page's script calls it and as the form of the plain page posts it. */
export function passwordRoutes(app: FastifyInstance, context: Context): void {
  app.register(async (scope) => {
    takeForms(scope);
    scope.addHook('preHandler', async (request, reply) => {
      if (isForm(request)) return answerForm(context, { request, reply });
    });
    route(scope, verifyDownload, ({ params: { token }, body: { password }, request, reply }) =>
      unlock(context, { token, password, exchange: { request, reply } }),
    );
  });
}

type Exchange = { request: FastifyRequest; reply: FastifyReply };
type Unlocking = { token: string; password: string; exchange: Exchange };

async function unlock(context: Context, { token, password, exchange }: Unlocking): Promise<void> {
  const { share, standing } = await viewTransfer(context, token, {
    grant: undefined,
    request: exchange.request,
  });
  refuseClosed(standing);
  if (standing === 'expired') throw new AppError('transfer_expired');
  const grant = await unlockTransfer(context, share, { password, request: exchange.request });
  if (grant !== undefined) setGrantCookies(context, exchange.reply, { token, grant });
}

/**
 * Only here, for whoever has no scripts; elsewhere forms stay out. A page of another site is refused by its
 * Origin, as for every write, and what it could do here needs the password.
 */
function takeForms(scope: FastifyInstance): void {
  scope.addContentTypeParser(FORM, { parseAs: 'string', bodyLimit: FORM_BYTES }, (_request, text, done) =>
    done(null, Object.fromEntries(new URLSearchParams(text as string))),
  );
}

function isForm({ headers }: FastifyRequest): boolean {
  return (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase() === FORM;
}

/** Leads back to the plain page, which says what went wrong, or shows the files. */
async function answerForm(context: Context, exchange: Exchange): Promise<FastifyReply> {
  const { request, reply } = exchange;
  const params = verifyDownload.params!.safeParse(request.params);
  if (!params.success) throw new AppError('transfer_not_found');
  const { token } = params.data;
  const recipientToken = verifyDownload.query!.parse(request.query).r;
  const address = { token, recipientToken };
  try {
    const body = verifyDownload.body!.safeParse(request.body);
    if (!body.success) throw new AppError('invalid_input');
    await unlock(context, { token, password: body.data.password, exchange });
  } catch (error) {
    if (!isAppError(error)) throw error;
    request.server.security.recordRefusal(request, error);
    return reply.redirect(plainPathWithProblem(address, error.code), 303);
  }
  return reply.redirect(plainSharePath(token, recipientToken), 303);
}
