/** With a recipient token, the link is that recipient's personal one. */
export function sharePath(token: string, recipientToken?: string): string {
  return asRecipient(`/download/${token}`, recipientToken);
}

export function shareLink(publicUrl: string, token: string, recipientToken?: string): string {
  return publicUrl + sharePath(token, recipientToken);
}

/** Of the page that decrypts. The key follows in the fragment, which browsers never send. */
export const ENCRYPTED_PAGE_PREFIX = '/e/';

/** The link of an end-to-end encrypted transfer, without its key. */
export function encryptedSharePath(token: string, recipientToken?: string): string {
  return asRecipient(`${ENCRYPTED_PAGE_PREFIX}${token}`, recipientToken);
}

/**
 * Tokens of account links are in the fragment, which browsers never send, so no proxy log or Referer contains them.
 * Older links have them in the query (`readLinkToken`).
 */
export function resetPasswordPath(token: string): string {
  return `/reset-password#token=${token}`;
}

/** The page waits for a press, because scanners of mails open links. */
export function signInLinkPath(token: string): string {
  return `/auth/link#token=${token}`;
}

/** The token is in the fragment, so no log or Referer contains it. */
export function accountInvitationPath(token: string): string {
  return `/auth#invitation=${token}`;
}

export function undoEmailChangePath(token: string): string {
  return `/undo-email-change#token=${token}`;
}

/** For "This wasn't me" in a security email. */
export function secureAccountPath(token: string): string {
  return `/secure-account#token=${token}`;
}

/** Reads the fragment, else the query; null if there is no token. */
export function readLinkToken({ hash, search }: { hash: string; search: string }): string | null {
  return new URLSearchParams(hash.slice(1)).get('token') ?? new URLSearchParams(search).get('token');
}

export function unsubscribePath(token: string): string {
  return `/unsubscribe/${token}`;
}

/** For the one-click unsubscribe of mail programs (RFC 8058). */
export function oneClickUnsubscribePath(token: string): string {
  return `/api/unsubscribe/${token}`;
}

export function transferPath(id: string): string {
  return `/dashboard/transfer/${id}`;
}

export function invitationPath(token: string): string {
  return `/upload/${token}`;
}

export function fileDownloadPath(token: string, fileId: string, recipientToken?: string): string {
  return asRecipient(`/api/download/${token}/file/${fileId}`, recipientToken);
}

export function zipDownloadPath(token: string, recipientToken?: string): string {
  return asRecipient(`/api/download/${token}/all`, recipientToken);
}

export function versionDownloadPath(token: string, version: number, recipientToken?: string): string {
  return asRecipient(`/api/download/${token}/versions/${version}/all`, recipientToken);
}

/** `selection` is the result of `encodeSelection`. */
export function selectionDownloadPath(token: string, selection: string, recipientToken?: string): string {
  return asRecipient(`/api/download/${token}/selection/${selection}`, recipientToken);
}

/** Of a zip or a selection: the same files as a BagIt bag. */
export function bagDownloadPath(zipPath: string): string {
  return `${zipPath}${zipPath.includes('?') ? '&' : '?'}format=bag`;
}

export function checksumsPath(token: string): string {
  return `/api/download/${token}/SHA256SUMS`;
}

/** The picture that messengers show for a share link. */
export function shareCardPath(token: string): string {
  return `/download/${token}/card.png`;
}

/** The picture for links that may not be described. */
export const SITE_CARD_PATH = '/card.png';

/** The download page for browsers without scripts. */
export function plainSharePath(token: string, recipientToken?: string): string {
  return asRecipient(`/download/${token}/plain`, recipientToken);
}

export function unlockPath(token: string, recipientToken?: string): string {
  return asRecipient(`/api/download/${token}/verify`, recipientToken);
}

export function verifyEmailPath(email: string): string {
  return `/verify-email?email=${encodeURIComponent(email)}`;
}

/** The page submits the code. It helps only the browser that registered, or one that is signed in. */
export function verifyEmailLink(email: string, code: string): string {
  return `${verifyEmailPath(email)}#code=${code}`;
}

function asRecipient(path: string, recipientToken: string | undefined): string {
  return recipientToken === undefined ? path : `${path}?r=${recipientToken}`;
}

/** Ids, share tokens and storage keys: 130 random bits in 26 characters. */
export const ID_PATTERN = /^[0-9a-z]{26}$/;
