import type { FastifyInstance } from 'fastify';
import type { Context } from './context.ts';
import { accountDeletionRoutes } from './features/account-deletion/routes.ts';
import { createAuthenticator } from './features/accounts/authenticator.ts';
import { accountRoutes } from './features/accounts/routes.ts';
import { accountSettingsRoutes } from './features/accounts/settings-routes.ts';
import { adminRoutes } from './features/admin/routes.ts';
import { adRoutes } from './features/ads/routes.ts';
import { analyticsRoutes } from './features/analytics/routes.ts';
import { backgroundRoutes } from './features/backgrounds/routes.ts';
import { billingRoutes } from './features/billing/routes.ts';
import { downloadBackgroundRoutes } from './features/downloads/background-routes.ts';
import { downloadPreviewRoutes } from './features/downloads/preview-routes.ts';
import { downloadRoutes } from './features/downloads/routes.ts';
import { identifyVisitor } from './features/invitations/grants.ts';
import { invitationRoutes } from './features/invitations/routes.ts';
import { noticeRoutes } from './features/notices/routes.ts';
import { previewRoutes } from './features/previews/routes.ts';
import { tierRoutes } from './features/tiers/routes.ts';
import { transferRoutes } from './features/transfers/routes.ts';
import { formUploadRoutes } from './features/uploads/form-routes.ts';
import { uploadRoutes } from './features/uploads/routes.ts';
import { healthRoutes } from './platform/http/health.ts';
import { createHttpServer } from './platform/http/http-server.ts';
import { serveWebApp } from './platform/http/web-app.ts';

/** Where each promise of `contracts/` is kept. */
export async function createApp(context: Context): Promise<FastifyInstance> {
  const { config, log } = context;
  const app = createHttpServer({
    publicUrl: config.publicUrl,
    trustProxy: config.trustProxy,
    log,
    authenticator: {
      ...createAuthenticator(context),
      visitor: (exchange, token) => identifyVisitor(context, exchange, token),
    },
  });
  healthRoutes(app, context);
  tierRoutes(app, context);
  accountRoutes(app, context);
  accountSettingsRoutes(app, context);
  backgroundRoutes(app, context);
  previewRoutes(app, context);
  transferRoutes(app, context);
  analyticsRoutes(app, context);
  invitationRoutes(app, context);
  uploadRoutes(app, context);
  await formUploadRoutes(app, context);
  downloadRoutes(app, context);
  downloadPreviewRoutes(app, context);
  downloadBackgroundRoutes(app, context);
  await billingRoutes(app, context);
  noticeRoutes(app, context);
  accountDeletionRoutes(app, context);
  adRoutes(app, context);
  adminRoutes(app, context);
  await serveWebApp(app, { hasStripe: config.stripe !== undefined });
  await app.ready();
  return app;
}
