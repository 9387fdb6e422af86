import { BlockList, isIP, isIPv4 } from 'node:net';

/** Everything that is not the public internet: this host, private and shared networks, and what is reserved. */
const NOT_PUBLIC_4: [network: string, prefix: number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Where clouds answer with the machine's own credentials (169.254.169.254).
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

/** Of the one public range (2000::/3): tunnels, which carry an IPv4 address that nobody has checked, and the reserved. */
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
 * Whether an address (IPv4 or IPv6, as text) is one of the public internet. IPv6 is public only in 2000::/3, which
 * leaves out loopback, link-local, unique local, multicast, IPv4-mapped (::ffff:0:0/96) and NAT64 (64:ff9b::/96).
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4');
  return isIP(address) === 6 && global.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
}
