import { join } from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as contract from '../../../contracts/plans/ads.ts';
import type { Context } from '../../context.ts';
import type { Trx } from '../../platform/db/open.ts';
import type { AdRow, UserRow } from '../../platform/db/schema.ts';
import { acceptMultipart } from '../../platform/http/bodies/form-files.ts';
import { route } from '../../platform/http/routing/route.ts';
import {
  type AdForm,
  changeAd,
  createAd,
  deleteAd,
  listAds,
  presentAd,
  receiveAdForm,
  setAdActive,
} from '../ads/index.ts';
import { recordAct } from './audit.ts';

type Act = { user: UserRow; request: FastifyRequest; action: `ad.${string}`; details?: object };

export function adAdminRoutes(app: FastifyInstance, context: Context): void {
  const { clock } = context;
  const present = (ad: AdRow) => presentAd(ad, clock.now());
  const noting =
    ({ user, request, action, details }: Act) =>
    (trx: Trx, { id, title }: AdRow) =>
      recordAct(trx, {
        actor: user,
        request,
        at: clock.now(),
        action,
        subject: title,
        subjectId: id,
        details: { ...details },
      });

  route(app, contract.listAds, async () => (await listAds(context.db)).map(present));

  route(app, contract.toggleAd, async ({ user, request, params: { id }, body: { isActive } }) =>
    present(
      await setAdActive(
        context,
        { id, isActive },
        noting({ user, request, action: 'ad.toggle', details: { isActive } }),
      ),
    ),
  );

  route(app, contract.deleteAd, ({ user, request, params }) =>
    deleteAd(context, params.id, noting({ user, request, action: 'ad.delete' })),
  );

  app.register(async (scope) => {
    const folder = join(context.config.dataDir, 'incoming');
    await acceptMultipart(scope, folder);

    route(scope, contract.createAd, ({ user, request }) =>
      withForm(request, folder, async (form) =>
        present(
          await createAd(
            context,
            form,
            noting({ user, request, action: 'ad.create', details: detailsOf(form) }),
          ),
        ),
      ),
    );

    route(scope, contract.updateAd, ({ user, request, params: { id } }) =>
      withForm(request, folder, async (form) =>
        present(
          await changeAd(
            context,
            { id, ...form },
            noting({ user, request, action: 'ad.update', details: detailsOf(form) }),
          ),
        ),
      ),
    );
  });
}

async function withForm<T>(
  request: FastifyRequest,
  folder: string,
  use: (form: AdForm) => Promise<T>,
): Promise<T> {
  const form = await receiveAdForm(request, folder);
  try {
    return await use(form);
  } finally {
    await form.drop();
  }
}

function detailsOf({ input: { title, ...input }, upload }: AdForm): object {
  return { ...input, ...(upload && { file: upload.fileName }) };
}
