import type { FastifyRequest } from 'fastify';

const PREFIX = '__Secure-';

/** On https the prefix makes browsers refuse the cookie from insecure pages. */
export function secureCookieName({ publicUrl }: { publicUrl: string }, name: string): string {
  return isHttps(publicUrl) ? `${PREFIX}${name}` : name;
}

/** Also accepts the unprefixed name of earlier releases. */
export function readSecureCookie({ cookies }: FastifyRequest, name: string): string | undefined {
  return cookies[`${PREFIX}${name}`] ?? cookies[name];
}

export function plainCookieName(name: string): string {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
}

export function isHttps(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
