import type { Kysely } from 'kysely';
import { createTable, ofTransfer, ofUser } from './create-table.ts';

export async function createActivityTables(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'downloads', {
    columns: {
      id: 'text',
      transferId: 'text',
      // No reference: files are deleted only with their transfer.
      fileId: 'text?',
      downloadedAt: 'instant',
      ipAddress: 'text?',
      userAgent: 'text?',
      completedAt: 'instant?',
    },
    primaryKey: ['id'],
    indexes: [['transferId', 'downloadedAt'], ['downloadedAt']],
    references: { transferId: ofTransfer },
  });
  await createTable(db, 'transferViews', {
    columns: {
      id: 'text',
      transferId: 'text',
      viewedAt: 'instant',
      ipAddress: 'text?',
      userAgent: 'text?',
      country: 'text?',
      city: 'text?',
      referer: 'text?',
    },
    primaryKey: ['id'],
    indexes: [['transferId', 'viewedAt'], ['viewedAt']],
    references: { transferId: ofTransfer },
  });
  await createTable(db, 'emailResends', {
    columns: { id: 'text', transferId: 'text', userId: 'text', resentAt: 'instant' },
    primaryKey: ['id'],
    indexes: [
      ['transferId', 'resentAt'],
      ['userId', 'resentAt'],
    ],
    references: { transferId: ofTransfer, userId: ofUser },
  });
}

export async function createBusinessTables(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'settings', {
    columns: { id: 'text', key: 'text', value: 'text', updatedAt: 'instant' },
    primaryKey: ['id'],
    unique: [['key']],
  });
  await createTable(db, 'coupons', {
    columns: {
      id: 'text',
      code: 'text',
      discountPercent: 'count',
      freeMonths: 'count',
      tier: 'text',
      maxUses: 'count?',
      currentUses: 'count = 0',
      expiresAt: 'instant?',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['code']],
  });
  await createTable(db, 'subscriptions', {
    columns: {
      id: 'text',
      userId: 'text',
      tier: 'text',
      status: 'text',
      providerSubscriptionId: 'text',
      couponId: 'text?',
      renewsAt: 'instant?',
      cancelAtPeriodEnd: 'flag = 0',
      createdAt: 'instant',
      updatedAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['providerSubscriptionId']],
    indexes: [['userId', 'createdAt'], ['couponId'], ['status', 'renewsAt']],
    references: { userId: ofUser, couponId: { table: 'coupons', onDelete: 'set null' } },
  });
  await createTable(db, 'paymentEvents', {
    columns: { id: 'text', type: 'text', createdAt: 'instant' },
    primaryKey: ['id'],
    indexes: [['createdAt']],
  });
  await createTable(db, 'ads', {
    columns: {
      id: 'text',
      type: 'text',
      title: 'text',
      url: 'text?',
      storageKey: 'text?',
      filename: 'text?',
      mimeType: 'text?',
      sizeBytes: 'bytes?',
      videoType: 'text?',
      durationSeconds: 'count = 5',
      priority: 'count = 5',
      startDate: 'instant?',
      endDate: 'instant?',
      isActive: 'flag = 1',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
  });
}

export async function createPlatformTables(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'jobs', {
    columns: {
      id: 'text',
      name: 'text',
      payload: 'text',
      uniqueKey: 'text?',
      runAt: 'instant',
      attempts: 'count = 0',
      leaseId: 'text?',
      leasedUntil: 'instant?',
      lastError: 'text?',
      failedAt: 'instant?',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    // Nulls are distinct: applies only to jobs with a key.
    unique: [['uniqueKey']],
    indexes: [['failedAt', 'runAt']],
  });
  await createTable(db, 'mails', {
    columns: {
      id: 'text',
      kind: 'text',
      transferId: 'text?',
      userId: 'text?',
      recipient: 'text',
      replyTo: 'text?',
      subject: 'text',
      text: 'text',
      html: 'text',
      state: 'text',
      attempts: 'count = 0',
      sendBefore: 'instant?',
      lastError: 'text?',
      createdAt: 'instant',
      sentAt: 'instant?',
    },
    primaryKey: ['id'],
    indexes: [['state', 'createdAt'], ['transferId'], ['userId'], ['recipient', 'createdAt']],
    references: { transferId: ofTransfer, userId: ofUser },
  });
  await createTable(db, 'rateCounters', {
    columns: { key: 'text', windowEndsAt: 'instant', count: 'count' },
    primaryKey: ['key'],
    indexes: [['windowEndsAt']],
  });
  await createTable(db, 'storageMultiparts', {
    columns: { storageKey: 'text', multipartId: 'text', createdAt: 'instant' },
    primaryKey: ['storageKey'],
    indexes: [['createdAt']],
  });
  await createTable(db, 'storageParts', {
    columns: { storageKey: 'text', partIndex: 'count', sizeBytes: 'bytes', crc32: 'bytes', etag: 'text' },
    primaryKey: ['storageKey', 'partIndex'],
  });
}
