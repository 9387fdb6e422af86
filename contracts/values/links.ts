/** Builds all share links. A recipient's personal link also has their token. */
export function sharePath(token: string, recipientToken?: string): string {
  return asRecipient(`/download/${token}`, recipientToken);
}

export function shareLink(publicUrl: string, token: string, recipientToken?: string): string {
  return publicUrl + sharePath(token, recipientToken);
}

/**
 * Tokens of account links travel in the fragment, which browsers send to no server: neither a proxy's log nor a
 * Referer ever has them. Links that were mailed before carry them in the query (`readLinkToken`).
 */
export function resetPasswordPath(token: string): string {
  return `/reset-password#token=${token}`;
}

/** Where an invited person registers. The token is in the fragment, which no log or referrer sees. */
export function accountInvitationPath(token: string): string {
  return `/auth#invitation=${token}`;
}

export function undoEmailChangePath(token: string): string {
  return `/undo-email-change#token=${token}`;
}

/** The target of "This wasn't me" in a security mail. */
export function secureAccountPath(token: string): string {
  return `/secure-account#token=${token}`;
}

/** The token of an account link, from the fragment or from the query; null without one. */
export function readLinkToken({ hash, search }: { hash: string; search: string }): string | null {
  return new URLSearchParams(hash.slice(1)).get('token') ?? new URLSearchParams(search).get('token');
}

export function unsubscribePath(token: string): string {
  return `/unsubscribe/${token}`;
}

/** The one-click unsubscribe address of mail programs (RFC 8058). */
export function oneClickUnsubscribePath(token: string): string {
  return `/api/unsubscribe/${token}`;
}

/** The owner's page of a transfer. */
export function transferPath(id: string): string {
  return `/dashboard/transfer/${id}`;
}

/** The upload page of an invitation. */
export function invitationPath(token: string): string {
  return `/upload/${token}`;
}

export function fileDownloadPath(token: string, fileId: string, recipientToken?: string): string {
  return asRecipient(`/api/download/${token}/file/${fileId}`, recipientToken);
}

export function zipDownloadPath(token: string, recipientToken?: string): string {
  return asRecipient(`/api/download/${token}/all`, recipientToken);
}

/** `selection` is the result of `encodeSelection`. */
export function selectionDownloadPath(token: string, selection: string, recipientToken?: string): string {
  return asRecipient(`/api/download/${token}/selection/${selection}`, recipientToken);
}

export function checksumsPath(token: string): string {
  return `/api/download/${token}/SHA256SUMS`;
}

/** The download page for browsers without scripts. */
export function plainSharePath(token: string, recipientToken?: string): string {
  return asRecipient(`/download/${token}/plain`, recipientToken);
}

/** The form on that page posts the password here. */
export function unlockPath(token: string, recipientToken?: string): string {
  return asRecipient(`/api/download/${token}/verify`, recipientToken);
}

export function verifyEmailPath(email: string): string {
  return `/verify-email?email=${encodeURIComponent(email)}`;
}

/** The link of a code mail: the page fills the code in and waits for a click, so opening it proves nothing. */
export function verifyEmailLink(email: string, code: string): string {
  return `${verifyEmailPath(email)}#code=${code}`;
}

function asRecipient(path: string, recipientToken: string | undefined): string {
  return recipientToken === undefined ? path : `${path}?r=${recipientToken}`;
}

/** Ids, share tokens and storage keys: 130 random bits in 26 characters. */
export const ID_PATTERN = /^[0-9a-z]{26}$/;
