import { lookup, Resolver } from 'node:dns/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { OutgoingRefusal, PrivateNetworkRefusal } from './refusal.ts';

export type Address = { address: string; family: 4 | 6 };

/** Empty for an unknown host. */
type Resolve = (hostname: string) => Promise<Address[]>;

export type Target = { url: URL; addresses: Address[] };

type TargetRules = {
  /** Also allows private addresses, plain http and any port. */
  allowPrivate: boolean;
  /** `*.` matches subdomains; undefined allows all. */
  allowedHosts?: string[] | undefined;
  resolve?: Resolve;
};

/** Privileged ports belong to services that might interpret a request as a command. */
const LOWEST_FREE_PORT = 1024;

/**
 * Allows only https to a host whose addresses are all public. Connect to the returned addresses, never by
 * name, which may resolve differently by then (DNS rebinding). Throws OutgoingRefusal, for a private address
 * PrivateNetworkRefusal.
 */
export async function findTarget(
  text: string,
  { allowPrivate, allowedHosts, resolve }: TargetRules,
): Promise<Target> {
  const url = URL.parse(text);
  if (!url) throw new OutgoingRefusal('This is not a valid URL.');
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

function privateRefusal(): PrivateNetworkRefusal {
  return new PrivateNetworkRefusal('The address leads into a private network. Please enter a public one.');
}

async function findAddresses(hostname: string, resolve: Resolve): Promise<Address[]> {
  const family = isIP(hostname);
  if (family !== 0) return [{ address: hostname, family: family as 4 | 6 }];
  return resolve(hostname);
}

const QUERY_MS = 2_000;
const TRIES = 2;

/**
 * Queries DNS over sockets. The system's resolver would occupy the thread pool that also reads files, so
 * unresponsive name servers would stop every download.
 */
async function resolveByDns(hostname: string): Promise<Address[]> {
  const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
  const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return [
    ...(four.status === 'fulfilled' ? four.value : []).map((address) => ({ address, family: 4 as const })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address) => ({ address, family: 6 as const })),
  ];
}

/** Private names are often in the system's hosts file. */
async function resolveByHost(hostname: string): Promise<Address[]> {
  const found = await lookup(hostname, { all: true }).catch(() => []);
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
}

/** This host, private, shared and reserved networks. */
const NOT_PUBLIC_4: [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // The cloud metadata service (169.254.169.254) hands out credentials.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Within the public range (2000::/3): reserved networks, and tunnels, which embed an unchecked IPv4 address. */
const NOT_PUBLIC_6: [network: string, prefix: number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

const notPublic = new BlockList();
for (const [network, prefix] of NOT_PUBLIC_4) notPublic.addSubnet(network, prefix, 'ipv4');
for (const [network, prefix] of NOT_PUBLIC_6) notPublic.addSubnet(network, prefix, 'ipv6');

const global = new BlockList();
global.addSubnet('2000::', 3, 'ipv6');

/**
 * IPv6 is public only in 2000::/3, which excludes loopback, link-local, unique local, multicast, IPv4-mapped
 * (::ffff:0:0/96) and NAT64 (64:ff9b::/96).
 */
function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4');
  return isIP(address) === 6 && global.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}
