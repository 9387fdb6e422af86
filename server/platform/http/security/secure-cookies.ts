import type { FastifyRequest } from 'fastify';

const PREFIX = '__Secure-';

/**
 * The name under which a cookie with a path is set. On https the prefix makes browsers refuse the cookie from insecure
 * pages, which could otherwise plant one.
 */
export function secureCookieName({ publicUrl }: { publicUrl: string }, name: string): string {
  return isHttps(publicUrl) ? `${PREFIX}${name}` : name;
}

/** Reads a cookie also under its plain name, as earlier releases set it. */
export function readSecureCookie({ cookies }: FastifyRequest, name: string): string | undefined {
  return cookies[`${PREFIX}${name}`] ?? cookies[name];
}

export function plainCookieName(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

export function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
