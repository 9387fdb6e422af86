export const MAIL_KINDS = [
  'verification-code',
  'visitor-code',
  'account-invitation',
  'visitor-receipt',
  'new-device',
  'sign-in-link',
  'password-reset',
  'password-changed',
  'email-changed',
  'factor-changed',
  'identity-changed',
  'recovery-code-used',
  'passkey-refused',
  'api-key-created',
  'webhook-created',
  'account-deleted',
  'transfer-ready',
  'transfer-resend',
  'arrival-notice',
  'transfer-received',
  'download-notice',
  'view-notice',
  'expiry-notice',
  'sender-reminder',
  'reopen-request',
  'recipient-reminder',
  'damage-notice',
  'blocked-notice',
  'payment-receipt',
  'payment-failed',
  'plan-ended',
  'renewal-reminder',
  'plan-ending-reminder',
  'webhook-disabled',
] as const;

export type MailKind = (typeof MAIL_KINDS)[number];

const TO_RECIPIENTS: readonly string[] = [
  'transfer-ready',
  'transfer-resend',
  'arrival-notice',
  'recipient-reminder',
] satisfies MailKind[];

/** Mails that a recipient gets only because a sender, or any visitor of the link, entered the address. Recipients can opt out of these. */
export function isToRecipient(kind: string): boolean {
  return TO_RECIPIENTS.includes(kind);
}
