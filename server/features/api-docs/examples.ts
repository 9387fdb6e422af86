/** Samples use shell variables (`$NAME`) for ids; the document shows this id instead. */
const ID = '0k3v9w2m7x5q1r8t6y4u0p2s3d';
const PASSWORD = 'correct horse battery';
const SETTINGS = { title: 'Studio pictures', message: 'All from Tuesday.', expirationDays: 2 };
const FILE = { fileName: 'hello.txt', fileSize: 13, totalChunks: 1, mimeType: 'text/plain' };
const INVITATION = { title: 'Send me your drafts', expirationDays: 30, maxFiles: 20, allowedTypes: ['pdf'] };
const LIMITS = { storagePerTransfer: 10_737_418_240, monthlyTotal: 107_374_182_400 };

const PASSKEY = { id: 'dGhlIGlkIG9mIGEgcGFzc2tleQ', type: 'public-key' };

const EXAMPLES: Record<string, object> = {
  login: { username: 'paula', password: PASSWORD },
  finishSignIn: { method: 'totp', code: '123456' },
  reauthenticate: { method: 'password', password: PASSWORD },
  signInByPasskey: {
    response: {
      ...PASSKEY,
      response: {
        clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0Ii4uLn0',
        authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAA',
        signature: 'MEUCIQDx3qk0',
        userHandle: 'NWY2ZjQ2',
      },
    },
  },
  addPasskey: {
    response: {
      ...PASSKEY,
      response: {
        clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIi4uLn0',
        attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVg',
        transports: ['internal'],
      },
    },
  },
  renamePasskey: { name: 'Work laptop' },
  confirmTotp: { code: '123456' },
  beginSsoSignIn: { providerId: '$PROVIDER_ID', returnTo: '/dashboard' },
  beginLinkIdentity: { providerId: '$PROVIDER_ID' },
  beginSsoConfirmation: { identityId: '$IDENTITY_ID', returnTo: '/dashboard/settings/security' },
  requestSignInLink: { email: 'paula@example.org' },
  signInByLink: { token: '0123456789abcdefghjkmnpqrs' },
  register: { name: 'Nora New', username: 'nora', email: 'nora@example.org', password: PASSWORD },
  findAccountInvitation: { token: '$TOKEN' },
  verifyEmail: { code: '123456' },
  updateProfile: { name: 'Paula Pro' },
  secureAccount: { token: '$TOKEN' },
  undoEmailChange: { token: '$TOKEN' },
  updatePreferences: { emailOnDownload: true, emailOnView: false },
  deleteAccount: { password: PASSWORD },
  requestPasswordReset: { email: 'nora@example.org' },
  confirmPasswordReset: { token: '$TOKEN', password: PASSWORD },
  createApiKey: { name: 'Backup script', scopes: ['read', 'write'] },
  updateApiKey: { isActive: false },
  updateTransfer: { title: 'Studio pictures, final', expirationDays: 7 },
  deleteTransfers: { transferIds: ['$TRANSFER_ID'], undoable: true },
  restoreTransfers: { transferIds: ['$TRANSFER_ID'] },
  extendTransfers: { transferIds: ['$TRANSFER_ID'], expirationDays: 7 },
  publishTransfer: { ...SETTINGS, expectedFiles: 2 },
  planUpdate: {
    removed: ['$FILE_ID'],
    reused: [{ fileId: '$FILE_ID', relativePath: 'notes/renamed.txt' }],
  },
  publishUpdate: { version: 1 },
  resendTransfer: { recipientEmails: ['rex@example.org'] },
  initUpload: FILE,
  initUploads: { files: [{ ...FILE, relativePath: 'notes/hello.txt' }] },
  signChunks: { parts: [{ index: 0, crc32: 3_957_769_958 }] },
  confirmChunks: { indexes: [0] },
  abortUploads: { uploadIds: ['$UPLOAD_ID'] },
  completeUpload: { ...SETTINGS, recipientEmails: ['rex@example.org'] },
  completeUploads: { ...SETTINGS, transferId: '$TRANSFER_ID', uploadIds: ['$UPLOAD_ID'] },
  putSealedKey: {
    invitationToken: '$INVITATION_TOKEN',
    sealedKey:
      'BHkjdCXXzNP2V1YZJuZ97fHDg1cXaCyExjfvtKN71zPZhN4uVE-GPx8d60Ox1a-_ZRThtFLjlWq3BdDO7yuD0rWhcKePLiCNdNy8cYxIHZWufm3VkeA9twXBVjhfng27JnZALij7CQDzV4E1oJXhN9s',
  },
  createInvitation: INVITATION,
  updateInvitation: { maxFiles: 50 },
  toggleInvitation: { isActive: false },
  sendInvitationCode: { email: 'vera@example.net' },
  verifyInvitationCode: { email: 'vera@example.net', code: '123456' },
  verifyDownload: { password: 'open sesame' },
  askForArrivalNotice: { email: 'rex@example.net' },
  askToReopen: { note: 'I could not download the files in time.' },
  reportTransfer: { reason: 'malware', details: 'The program in it is a trojan.' },
  savePushSubscription: {
    endpoint: 'https://push.example.net/send/abc',
    keys: {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    events: ['first-download', 'received'],
  },
  pickUp: { code: 'KVX RMD' },
  createWebhook: {
    url: 'https://hooks.example.org/sendwell',
    events: ['transfer.ready', 'transfer.downloaded'],
  },
  updateWebhook: { isActive: true },
  createSubscription: { tier: 'pro' },
  changeSubscription: { tier: 'pro' },
  checkCoupon: { code: 'SPRING', tier: 'pro' },
  confirmDemoPayment: {
    clientSecret: '$CLIENT_SECRET',
    cardNumber: '4242 4242 4242 4242',
    expiry: '12/39',
    cvc: '123',
  },
  recordAdEvent: { event: 'view' },
  toggleAd: { isActive: false },
  createUser: { username: 'nora', email: 'nora@example.org', password: PASSWORD, tier: 'pro' },
  setUserAdmin: { isAdmin: true },
  resetUserPassword: { password: PASSWORD },
  setUserTier: { tier: 'premium' },
  extendTransfer: { days: 7 },
  setTakenDown: { isTakenDown: true },
  batchDelete: { transferIds: ['$TRANSFER_ID'] },
  batchExtend: { transferIds: ['$TRANSFER_ID'], days: 7 },
  settleReport: { verdict: 'take-down' },
  releaseHeldFile: { reason: 'A false alarm: the vendor confirmed that the installer is clean.' },
  blockContent: { fileId: '$FILE_ID', reason: 'Reported as malware by several recipients.' },
  confirmClock: { id: '$STOP_ID' },
  confirmSweep: { id: '$STOP_ID' },
  signOutEverywhere: { apiKeys: true, webhooks: true },
  signUserOut: { apiKeys: true, webhooks: true },
  updateSignInPolicy: {
    passwordMinLength: 10,
    secondFactor: 'administrators',
    emailSignIn: true,
    sessionDays: 7,
    sessionsPerUser: 5,
  },
  createIdentityProvider: {
    issuer: 'https://login.example.org/realms/studio',
    clientId: 'sendwell',
    clientSecret: '$CLIENT_SECRET',
    name: 'Studio Nordlicht',
    domains: ['example.org'],
    mayCreateAccounts: true,
  },
  updateIdentityProvider: { isRequiredForDomains: true },
  testIdentityProvider: { issuer: 'https://login.example.org/realms/studio' },
  checkProviderDomain: { domain: 'example.org' },
  updateRegistration: { mode: 'domains', domains: ['example.org'], visitorDomains: [] },
  createAccountInvitation: { email: 'nora@example.org' },
  createCoupon: { code: 'SPRING', tier: 'pro', discountPercent: 20, freeMonths: 1, maxUses: 100 },
  updateTierConfig: {
    free: { ...LIMITS, retentionDays: 3 },
    pro: { ...LIMITS, retentionDays: 30, price: 9.99 },
    premium: { ...LIMITS, retentionDays: 90, price: 24.99 },
  },
};

export function exampleOf(name: string): unknown {
  const example = EXAMPLES[name];
  return example && JSON.parse(JSON.stringify(example).replace(/"\$\w+"/g, `"${ID}"`));
}

/** Contains `$NAME` for shell and environment variables. */
export function sampleBodyOf(name: string): object | undefined {
  return EXAMPLES[name];
}
