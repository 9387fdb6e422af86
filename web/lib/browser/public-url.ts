/**
 * The base of shared links: the server's PUBLIC_URL, which the server writes into the page. If PUBLIC_URL is a loopback
 * address, the server leaves it out, and links use the page's own origin.
 */
export function publicUrl(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="public-url"]');
  return meta?.content || window.location.origin;
}
