/** The only place where tokens become addresses. */
export function sharePath(token: string): string {
  return `/download/${token}`;
}

export function shareLink(publicUrl: string, token: string): string {
  return publicUrl + sharePath(token);
}

export function fileDownloadPath(token: string, fileId: string): string {
  return `/api/download/${token}/file/${fileId}`;
}

export function zipDownloadPath(token: string): string {
  return `/api/download/${token}/all`;
}

export function verifyEmailPath(email: string): string {
  return `/verify-email?email=${encodeURIComponent(email)}`;
}
