/**
 * What links begin with that people copy and pass on: the server's PUBLIC_URL, which the server writes into the page.
 * While PUBLIC_URL is a loopback address, it does not, and links begin with the address at which the page was opened.
 */
export function publicUrl(): string {
  const meta = document.querySelector<HTMLMetaElement>('meta[name="public-url"]');
  return meta?.content || window.location.origin;
}
