import type { Kysely } from 'kysely';
import { createActivityTables, createBusinessTables, createPlatformTables } from './0001-first-activity.ts';
import { createTable, ofTransfer, ofUser } from './create-table.ts';

/** Each foreign key begins an index, so that deleting a parent never scans. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await createAccountTables(db);
  await createInvitationTables(db);
  await createTransferTables(db);
  await createActivityTables(db);
  await createBusinessTables(db);
  await createPlatformTables(db);
}

async function createAccountTables(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'users', {
    columns: {
      id: 'text',
      name: 'text',
      username: 'text',
      usernameKey: 'text',
      passwordHash: 'text',
      email: 'text',
      emailKey: 'text',
      emailVerified: 'flag',
      isAdmin: 'flag',
      tier: 'text',
      paymentCustomerId: 'text?',
      paymentSubscriptionId: 'text?',
      backgroundStorageKey: 'text?',
      backgroundFilename: 'text?',
      backgroundMimeType: 'text?',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['usernameKey'], ['emailKey']],
    indexes: [['createdAt'], ['paymentCustomerId'], ['paymentSubscriptionId']],
  });
  await createTable(db, 'sessions', {
    columns: {
      id: 'text',
      userId: 'text',
      tokenHash: 'text',
      ipAddress: 'text?',
      userAgent: 'text?',
      createdAt: 'instant',
      lastSeenAt: 'instant',
      expiresAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['tokenHash']],
    indexes: [['userId'], ['expiresAt']],
    references: { userId: ofUser },
  });
  await createTable(db, 'emailVerificationCodes', {
    columns: {
      id: 'text',
      userId: 'text',
      codeHash: 'text',
      attempts: 'count = 0',
      expiresAt: 'instant',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    indexes: [['userId', 'createdAt'], ['expiresAt']],
    references: { userId: ofUser },
  });
  await createTable(db, 'passwordResets', {
    columns: { id: 'text', userId: 'text', tokenHash: 'text', expiresAt: 'instant', createdAt: 'instant' },
    primaryKey: ['id'],
    unique: [['tokenHash']],
    indexes: [['userId', 'createdAt'], ['expiresAt']],
    references: { userId: ofUser },
  });
  await createTable(db, 'userPreferences', {
    columns: {
      id: 'text',
      userId: 'text',
      emailOnDownload: 'flag = 1',
      emailOnView: 'flag = 0',
      emailOnExpiry: 'flag = 0',
      updatedAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['userId']],
    references: { userId: ofUser },
  });
  await createTable(db, 'apiKeys', {
    columns: {
      id: 'text',
      userId: 'text',
      name: 'text',
      keyHash: 'text',
      prefix: 'text',
      scopes: 'text',
      lastUsedAt: 'instant?',
      expiresAt: 'instant?',
      isActive: 'flag = 1',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['keyHash']],
    indexes: [['userId', 'createdAt']],
    references: { userId: ofUser },
  });
}

async function createInvitationTables(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'uploadInvitations', {
    columns: {
      id: 'text',
      senderId: 'text',
      token: 'text',
      title: 'text',
      message: 'text?',
      expiresAt: 'instant',
      createdAt: 'instant',
      isActive: 'flag = 1',
      maxFileSize: 'bytes?',
      maxTotalSize: 'bytes?',
      maxFiles: 'count = 100',
    },
    primaryKey: ['id'],
    unique: [['token']],
    indexes: [['senderId', 'createdAt']],
    references: { senderId: ofUser },
  });
  await createTable(db, 'uploadInvitationVerifications', {
    columns: {
      id: 'text',
      invitationId: 'text',
      recipientEmail: 'text',
      codeHash: 'text',
      attempts: 'count = 0',
      verified: 'flag = 0',
      expiresAt: 'instant',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    indexes: [['invitationId', 'recipientEmail', 'createdAt'], ['expiresAt']],
    references: { invitationId: { table: 'uploadInvitations', onDelete: 'cascade' } },
  });
}

async function createTransferTables(db: Kysely<unknown>): Promise<void> {
  await createTable(db, 'transfers', {
    columns: {
      id: 'text',
      userId: 'text',
      token: 'text',
      status: 'text',
      title: 'text?',
      message: 'text?',
      recipientEmails: 'text',
      expiresAt: 'instant?',
      scheduledAvailableAt: 'instant?',
      createdAt: 'instant',
      readyAt: 'instant?',
      downloadCount: 'count = 0',
      zipCount: 'count = 0',
      maxDownloads: 'count?',
      autoDeleteAfterDownloads: 'flag = 0',
      isExpired: 'flag = 0',
      passwordHash: 'text?',
      expectedFiles: 'count?',
      fileCount: 'count = 0',
      totalBytes: 'bytes = 0',
      reservedBytes: 'bytes = 0',
      closedAt: 'instant?',
      receivedFrom: 'text?',
      invitationId: 'text?',
    },
    primaryKey: ['id'],
    unique: [['token']],
    indexes: [
      ['userId', 'createdAt'],
      ['createdAt'],
      ['status', 'expiresAt'],
      ['closedAt'],
      ['invitationId'],
    ],
    references: { userId: ofUser, invitationId: { table: 'uploadInvitations', onDelete: 'set null' } },
  });
  await createTable(db, 'files', {
    columns: {
      id: 'text',
      transferId: 'text',
      position: 'count',
      originalName: 'text',
      relativePath: 'text',
      mimeType: 'text',
      sizeBytes: 'bytes',
      crc32: 'bytes',
      storageKey: 'text',
      offset: 'bytes',
      uploadedAt: 'instant',
      downloadCount: 'count = 0',
      zipBase: 'count = 0',
    },
    primaryKey: ['id'],
    indexes: [['transferId', 'position'], ['storageKey']],
    references: { transferId: ofTransfer },
  });
  await createTable(db, 'uploads', {
    columns: {
      id: 'text',
      userId: 'text',
      transferId: 'text',
      state: 'text',
      fileName: 'text',
      relativePath: 'text',
      mimeType: 'text',
      sizeBytes: 'bytes',
      chunkSize: 'bytes',
      chunkCount: 'count',
      storageKey: 'text',
      offset: 'bytes',
      firstSlot: 'count',
      position: 'count',
      usageMonth: 'text',
      createdAt: 'instant',
      lastActivityAt: 'instant',
    },
    primaryKey: ['id'],
    indexes: [['transferId', 'position'], ['userId', 'state'], ['state', 'lastActivityAt'], ['storageKey']],
    references: { userId: ofUser, transferId: ofTransfer },
  });
  await createTable(db, 'packs', {
    columns: { transferId: 'text', storageKey: 'text', sizeBytes: 'bytes', slots: 'count' },
    primaryKey: ['transferId', 'storageKey'],
    indexes: [['storageKey']],
    references: { transferId: ofTransfer },
  });
  await createTable(db, 'monthlyUsage', {
    columns: { userId: 'text', month: 'text', bytes: 'bytes' },
    primaryKey: ['userId', 'month'],
    references: { userId: ofUser },
  });
  await createTable(db, 'fileThumbnails', {
    columns: {
      id: 'text',
      fileId: 'text',
      storageKey: 'text',
      mimeType: 'text',
      width: 'count',
      height: 'count',
      sizeBytes: 'bytes',
      createdAt: 'instant',
    },
    primaryKey: ['id'],
    unique: [['fileId']],
    indexes: [['storageKey']],
    references: { fileId: { table: 'files', onDelete: 'cascade' } },
  });
}
