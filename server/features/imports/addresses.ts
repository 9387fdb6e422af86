import type { Db, Trx } from '../../platform/db/open.ts';

/** Addresses of shares in other products, without the host. Case-sensitive, as there. */
export const oldAddress = {
  /** Pingvin Share's `/s/ID` and `/share/ID`, Palmr's `/s/ALIAS`. */
  share: (id: string) => `s/${id}`,
  /** Gokapi's `/d?id=ID` and `/downloadFile?id=ID`. */
  download: (id: string) => `d/${id}`,
  /** Gokapi's `/h/ID` and `/hotlink/ID`. */
  hotlink: (id: string) => `h/${id}`,
  /** ProjectSend's `/download.php?id=ID&token=TOKEN`. */
  publicFile: (id: string, token: string) => `download.php/${id}/${token}`,
};

const ROWS_PER_INSERT = 500;

/** An address that already leads to a transfer stays with it. Returns those that were inserted. */
export async function insertAddresses(
  trx: Trx,
  { addresses, transferId }: { addresses: string[]; transferId: string },
): Promise<string[]> {
  const inserted: string[] = [];
  for (let start = 0; start < addresses.length; start += ROWS_PER_INSERT) {
    const rows = await trx
      .insertInto('importedAddresses')
      .values(addresses.slice(start, start + ROWS_PER_INSERT).map((address) => ({ address, transferId })))
      .onConflict((conflict) => conflict.column('address').doNothing())
      .returning('address')
      .execute();
    inserted.push(...rows.map(({ address }) => address));
  }
  return inserted;
}

export async function findTokenOfAddress(db: Db, address: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('importedAddresses')
    .innerJoin('transfers', 'transfers.id', 'importedAddresses.transferId')
    .select('transfers.token')
    .where('address', '=', address)
    .where('transfers.status', '=', 'ready')
    .executeTakeFirst();
  return row?.token;
}
