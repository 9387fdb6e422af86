import { createHash } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import type { ProviderDomain } from '../../../../../contracts/admin/identity-providers.ts';
import type { Config } from '../../../../config.ts';
import type { Context } from '../../../../context.ts';
import type { Db } from '../../../../platform/db/open.ts';
import { toIsoOrNull } from '../../../../platform/lib/clock.ts';
import { type DomainRow, listDomainRows, saveDomainRow } from './provider-queries.ts';
import { listProviders } from './providers.ts';

const QUERY_MS = 2_000;
const TRIES = 2;
const TOKEN_LENGTH = 40;

type Key = Pick<DomainRow, 'providerId' | 'domain'>;
type Outcome = 'proved' | NonNullable<DomainRow['problem']>;

/** Error codes that mean there is no such record. Other failures prove nothing. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * The TXT record with which the owner of a domain names a provider. It is no secret: only the owner can publish it, and
 * it counts for no other provider.
 */
function recordOf({ providerId, domain }: Key): { name: string; value: string } {
  const token = createHash('sha256').update(`sendwell-domain\n${providerId}\n${domain}`).digest('hex');
  return { name: `_sendwell.${domain}`, value: `sendwell-domain=${token.slice(0, TOKEN_LENGTH)}` };
}

/** Queries over sockets, because the system's resolver would occupy the thread pool that also reads files. */
export async function lookUpRecord({ dnsServers }: Pick<Config, 'dnsServers'>, key: Key): Promise<Outcome> {
  const { name, value } = recordOf(key);
  const resolver = new Resolver({ timeout: QUERY_MS, tries: TRIES });
  if (dnsServers) resolver.setServers(dnsServers);
  try {
    const records = await resolver.resolveTxt(name);
    return records.some((parts) => parts.join('').trim() === value) ? 'proved' : 'missing';
  } catch (error) {
    return ABSENT.has((error as { code?: string }).code ?? '') ? 'missing' : 'unreachable';
  }
}

/** Records a look-up. A domain stays proved while the DNS does not answer. */
export async function recordLookUp(
  { db, clock }: Pick<Context, 'clock'> & { db: Db },
  { providerId, domain }: Key,
  outcome: Outcome,
): Promise<void> {
  const earlier = (await listDomainRows(db)).find(
    (row) => row.providerId === providerId && row.domain === domain,
  );
  const now = clock.now();
  const stillProved = earlier?.provedAt ?? null;
  const provedAt = outcome === 'proved' ? (stillProved ?? now) : outcome === 'missing' ? null : stillProved;
  const problem = outcome === 'proved' ? null : outcome;
  await saveDomainRow(db, { providerId, domain, provedAt, checkedAt: now, problem });
}

/** Looks up the records of all proved domains again, because a domain may have got another owner. */
export async function recheckDomains(context: Context, signal: AbortSignal): Promise<void> {
  const rows = await listDomainRows(context.db);
  const proved = new Set(rows.filter(({ provedAt }) => provedAt !== null).map(keyOf));
  for (const { id: providerId, domains } of await listProviders(context))
    for (const domain of domains) {
      if (signal.aborted) return;
      const key = { providerId, domain };
      if (!proved.has(keyOf(key))) continue;
      await recordLookUp(context, key, await lookUpRecord(context.config, key));
    }
}

function keyOf({ providerId, domain }: Key): string {
  return `${providerId} ${domain}`;
}

export function presentDomain(key: Key, rows: DomainRow[]): ProviderDomain {
  const row = rows.find(({ providerId, domain }) => providerId === key.providerId && domain === key.domain);
  return {
    domain: key.domain,
    isProved: row !== undefined && row.provedAt !== null,
    provedAt: toIsoOrNull(row?.provedAt ?? null),
    checkedAt: toIsoOrNull(row?.checkedAt ?? null),
    problem: row?.problem ?? null,
    record: recordOf(key),
  };
}
