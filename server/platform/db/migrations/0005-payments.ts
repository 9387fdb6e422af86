import type { Kysely } from 'kysely';
import { createTable, ofUser } from './create-table.ts';

export async function up(db: Kysely<unknown>): Promise<void> {
  await createCouponRedemptions(db);
  // It was never written to before.
  await db.schema.dropTable('subscriptions').execute();
  await createSubscriptions(db);
  await createInvoices(db);
  await createBillingTurns(db);
  await createDemoBooks(db);
}

async function createCouponRedemptions(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'couponRedemptions', {
    columns: {
      id: 'text',
      couponId: 'text',
      userId: 'text',
      providerSubscriptionId: 'text?',
      state: 'text',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['couponId', 'userId']],
    indexes: [['userId'], ['providerSubscriptionId'], ['state', 'createdAt']],
    references: { couponId: { table: 'coupons', onDelete: 'cascade' }, userId: ofUser },
  });
}

async function createSubscriptions(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'subscriptions', {
    columns: {
      id: 'text',
      userId: 'text',
      provider: 'text',
      tier: 'text',
      status: 'text',
      providerSubscriptionId: 'text',
      couponId: 'text?',
      priceCents: 'count = 0',
      discountPercent: 'count = 0',
      periodStartsAt: 'instant?',
      renewsAt: 'instant?',
      freeUntil: 'instant?',
      cancelAtPeriodEnd: 'flag = 0',
      scheduledTier: 'text?',
      scheduledPriceCents: 'count?',
      cardBrand: 'text?',
      cardLast4: 'text?',
      failedAt: 'instant?',
      graceEndsAt: 'instant?',
      endedAt: 'instant?',
      remindedOf: 'instant?',
      looks: 'count = 0',
      createdAt: 'instant',
      updatedAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['providerSubscriptionId']],
    indexes: [['userId', 'createdAt'], ['couponId'], ['status', 'renewsAt']],
    references: { userId: ofUser, couponId: { table: 'coupons', onDelete: 'set null' } },
  });
}

async function createInvoices(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'invoices', {
    columns: {
      id: 'text',
      userId: 'text',
      providerInvoiceId: 'text',
      providerSubscriptionId: 'text?',
      tier: 'text',
      number: 'text?',
      status: 'text',
      amountCents: 'count',
      periodStartsAt: 'instant',
      periodEndsAt: 'instant',
      url: 'text?',
      receiptSentAt: 'instant?',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['providerInvoiceId']],
    indexes: [['userId', 'createdAt']],
    references: { userId: ofUser },
  });
}

async function createBillingTurns(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'billingTurns', {
    columns: { userId: 'text', turnId: 'text', endsAt: 'instant' },
    primaryKey: ['userId'],
    references: { userId: ofUser },
  });
}

async function createDemoBooks(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'demoSubscriptions', {
    columns: {
      id: 'text',
      customerId: 'text',
      clientSecret: 'text',
      tier: 'text',
      priceCents: 'count',
      discountPercent: 'count = 0',
      status: 'text',
      periodStartsAt: 'instant',
      periodEndsAt: 'instant',
      freeUntil: 'instant?',
      cancelAtPeriodEnd: 'flag = 0',
      scheduledTier: 'text?',
      scheduledPriceCents: 'count?',
      cardLast4: 'text?',
      failedAt: 'instant?',
      endedAt: 'instant?',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['clientSecret']],
    indexes: [['customerId'], ['status', 'periodEndsAt']],
  });
  await createTable(db, 'demoInvoices', {
    columns: {
      id: 'text',
      customerId: 'text',
      subscriptionId: 'text',
      clientSecret: 'text',
      tier: 'text',
      number: 'text',
      status: 'text',
      amountCents: 'count',
      periodStartsAt: 'instant',
      periodEndsAt: 'instant',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['clientSecret'], ['number']],
    indexes: [['customerId', 'createdAt'], ['subscriptionId']],
  });
}
