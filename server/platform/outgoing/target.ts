import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';
import { OutgoingRefusal } from './refusal.ts';

export type Address = { address: string; family: 4 | 6 };

/** The addresses of a host name; none for an unknown one. */
export type Resolve = (hostname: string) => Promise<Address[]>;

/** Where a request goes: to exactly these addresses, which were checked. */
export type Target = { url: URL; addresses: Address[] };

export type TargetRules = {
  /** Takes private addresses, plain http and any port as well. */
  allowPrivate: boolean;
  /** The only host names that are taken, `*.` standing for all below a name; undefined: all. */
  allowedHosts?: string[] | undefined;
  resolve?: Resolve;
};

/** Below 1024 live the services that a request of ours must not be a command to. */
const LOWEST_FREE_PORT = 1024;

/**
 * Says where a URL that a user gave leads, or refuses it: https to a public host only. Every address of the host
 * must be public, not just the first. Connect to what is returned, never by the name again: it may mean
 * something else by then (DNS rebinding). Throws OutgoingRefusal.
 */
export async function findTarget(
  text: string,
  { allowPrivate, allowedHosts, resolve }: TargetRules,
): Promise<Target> {
  const url = URL.parse(text);
  if (!url) throw new OutgoingRefusal('This address cannot be read.');
  requireSafeForm(url, allowPrivate);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (allowedHosts && !isAllowed(hostname, allowedHosts))
    throw new OutgoingRefusal('The operator of this server does not allow webhooks to this host.');
  const addresses = await findAddresses(hostname, resolve ?? (allowPrivate ? resolveByHost : resolveByDns));
  if (addresses.length === 0) throw new OutgoingRefusal('The host name could not be found.');
  if (!allowPrivate && !addresses.every(({ address }) => isPublicAddress(address))) throw privateRefusal();
  return { url, addresses };
}

function requireSafeForm({ protocol, username, password, hostname, port }: URL, allowPrivate: boolean): void {
  if (username || password)
    throw new OutgoingRefusal('The address must not contain a user name or password.');
  if (allowPrivate && (protocol === 'http:' || protocol === 'https:')) return;
  if (protocol !== 'https:') throw new OutgoingRefusal('The address must begin with https://.');
  if (port !== '' && Number(port) < LOWEST_FREE_PORT)
    throw new OutgoingRefusal('The address must use port 443 or one from 1024 on.');
  if (/(^|\.)localhost\.?$/.test(hostname)) throw privateRefusal();
}

function isAllowed(hostname: string, allowedHosts: string[]): boolean {
  const name = hostname.replace(/\.$/, '');
  return allowedHosts.some((host) => (host.startsWith('*.') ? name.endsWith(host.slice(1)) : name === host));
}

function privateRefusal(): OutgoingRefusal {
  return new OutgoingRefusal('The address leads into a private network. Please give a public one.');
}

async function findAddresses(hostname: string, resolve: Resolve): Promise<Address[]> {
  const family = isIP(hostname);
  if (family !== 0) return [{ address: hostname, family: family as 4 | 6 }];
  return resolve(hostname);
}

const QUERY_MS = 2_000;
const TRIES = 2;

/**
 * Asks the name servers by sockets. The system's own look-up would hold a thread of the pool in which files are
 * read too: a few names whose servers never answer would stop every download.
 */
async function resolveByDns(hostname: string): Promise<Address[]> {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 as const })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 as const })),
  ];
}

/** As the host itself would, with its hosts file: names of a private network often stand nowhere else. */
async function resolveByHost(hostname: string): Promise<Address[]> {
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}
