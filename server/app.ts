import type { FastifyInstance } from 'fastify';
import { isLoopbackUrl } from './config.ts';
import type { Context } from './context.ts';
import { accountDeletionRoutes } from './features/account-deletion/routes.ts';
import { accountRecoveryRoutes } from './features/account-recovery/routes.ts';
import { createAuthenticator } from './features/accounts/index.ts';
import { accountRoutes } from './features/accounts/routes.ts';
import { adminRoutes } from './features/admin/routes.ts';
import { adRoutes } from './features/ads/routes.ts';
import { analyticsRoutes } from './features/analytics/routes.ts';
import { apiDocsRoutes } from './features/api-docs/routes.ts';
import { createKeyAuthenticator } from './features/api-keys/index.ts';
import { apiKeyRoutes } from './features/api-keys/routes.ts';
import { backgroundRoutes } from './features/backgrounds/routes.ts';
import { billingRoutes } from './features/billing/routes.ts';
import { isEncryptedShare, renderLinkCard } from './features/downloads/index.ts';
import { downloadRoutes } from './features/downloads/routes.ts';
import { oldAddressRoutes } from './features/imports/routes.ts';
import { hasVisitorGrant, identifyVisitor } from './features/invitations/index.ts';
import { invitationRoutes } from './features/invitations/routes.ts';
import { metricsRoute } from './features/metrics/routes.ts';
import { noticeRoutes } from './features/notices/routes.ts';
import { pickupRoutes } from './features/pickup/routes.ts';
import { previewRoutes } from './features/previews/routes.ts';
import { pushRoutes } from './features/push/routes.ts';
import { registrationRoutes } from './features/registration/routes.ts';
import { tierRoutes } from './features/tiers/routes.ts';
import { transferRoutes } from './features/transfers/routes.ts';
import { formUploadRoutes, putFileRoutes, tusRoutes, updateRoutes } from './features/uploads/index.ts';
import { uploadRoutes } from './features/uploads/routes.ts';
import { webhookRoutes } from './features/webhooks/routes.ts';
import { healthRoutes } from './platform/http/health.ts';
import { createHttpServer } from './platform/http/http-server.ts';
import { serveWebApp } from './platform/http/pages/web-app.ts';
import { enableDirectAccessWhenVerified } from './platform/storage/direct/verify-direct-access.ts';

export async function createApp(context: Context): Promise<FastifyInstance> {
  const { config, log } = context;
  const app = createHttpServer({
    publicUrl: config.publicUrl,
    hstsSubdomains: config.hstsSubdomains,
    trustProxy: config.trustProxy,
    log,
    idempotency: context,
    metrics: context.metrics,
    security: context.security,
    accessLog: config.accessLog,
    authenticator: {
      ...createAuthenticator(context),
      ...createKeyAuthenticator(context),
      visitor: (exchange, token) => identifyVisitor(context, exchange, token),
      hasVisitorGrant: (request) => hasVisitorGrant(context, request),
    },
  });
  healthRoutes(app, context);
  tierRoutes(app, context);
  registrationRoutes(app, context);
  accountRoutes(app, context);
  apiKeyRoutes(app, context);
  backgroundRoutes(app, context);
  previewRoutes(app, context);
  webhookRoutes(app, context);
  pushRoutes(app, context);
  accountRecoveryRoutes(app, context);
  transferRoutes(app, context);
  pickupRoutes(app, context);
  analyticsRoutes(app, context);
  invitationRoutes(app, context);
  uploadRoutes(app, context);
  await formUploadRoutes(app, context);
  await tusRoutes(app, context);
  updateRoutes(app, context);
  await putFileRoutes(app, context);
  downloadRoutes(app, context);
  await billingRoutes(app, context);
  noticeRoutes(app, context);
  accountDeletionRoutes(app, context);
  oldAddressRoutes(app, context);
  adRoutes(app, context);
  adminRoutes(app, context);
  apiDocsRoutes(app, context);
  metricsRoute(app, context);
  const bucket = enableDirectAccess(app, context);
  await serveWebApp(app, {
    dataDir: config.dataDir,
    hasStripe: config.stripe !== undefined,
    bucket,
    // Recipients of links cannot open a loopback address.
    publicUrl: isLoopbackUrl(config.publicUrl) ? undefined : config.publicUrl,
    renderGuestTags: (token, request) => renderLinkCard(context, token, request),
    isEncrypted: (token) => isEncryptedShare(context, token),
  });
  await app.ready();
  return app;
}

/** Returns the bucket's origin if one is configured. */
function enableDirectAccess(app: FastifyInstance, { blobs, config, log }: Context): string | undefined {
  const { direct } = blobs;
  if (!direct) return undefined;
  let stop = () => {};
  app.addHook('onListen', async () => {
    stop = enableDirectAccessWhenVerified({ direct, publicUrl: config.publicUrl, log });
  });
  app.addHook('onClose', async () => stop());
  return direct.origin;
}
