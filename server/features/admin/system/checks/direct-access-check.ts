import { networkInterfaces } from 'node:os';
import { SECOND_MS } from '../../../../../contracts/values/durations.ts';
import type { Config } from '../../../../config.ts';
import type { Check } from './check.ts';

const FIX =
  'Let only the proxy reach the port: HOST=127.0.0.1 if it runs on this machine, otherwise a firewall or a private network. Or set TRUST_PROXY to the addresses of the proxy instead of a number.';

const CONNECT_MS = 2 * SECOND_MS;

/**
 * Warns if clients can bypass the proxy although TRUST_PROXY trusts it by position: they could then forge the network
 * address that limits and logs use.
 */
export function checkDirectAccess(
  { trustProxy, port }: Pick<Config, 'trustProxy' | 'port'>,
  ownAddresses: () => string[] = listOwnAddresses,
): Check {
  return {
    name: 'direct-access',
    title: 'Access past the proxy',
    run: async () => {
      if (trustProxy === false)
        return { state: 'ok', found: 'X-Forwarded-For is ignored (TRUST_PROXY=off).' };
      if (Array.isArray(trustProxy) && !trustProxy.some(isEverybody))
        return { state: 'ok', found: `X-Forwarded-For is trusted from ${trustProxy.join(', ')} only.` };
      const tried = ownAddresses().map((address) => toUrl(address, port));
      const answers = await Promise.all(tried.map(isAnswered));
      const reached = tried.filter((_url, index) => answers[index]);
      if (reached.length === 0)
        return {
          state: 'ok',
          found: 'The port does not answer at the network addresses of this machine.',
        };
      return {
        state: 'warning',
        found: `The server answers at ${reached.join(' and ')} and trusts X-Forwarded-For there. Clients that can reach that address can forge their network address, so limits per address are not effective.`,
        fix: FIX,
      };
    },
    fixOf: () => FIX,
  };
}

function isEverybody(network: string): boolean {
  return network.endsWith('/0');
}

/** Leaves out loopback and link-local addresses, which a router doesn't forward. */
function listOwnAddresses(): string[] {
  return Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, address }) => !internal && !/^(fe80:|169\.254\.)/i.test(address))
    .map(({ address }) => address);
}

function toUrl(address: string, port: number): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

async function isAnswered(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(CONNECT_MS) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
