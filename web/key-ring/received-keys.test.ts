import { beforeEach, expect, test } from 'vitest';
import { createEncryption } from '../../encryption/keys.ts';
import { formatKey } from '../../encryption/link.ts';
import { createInboxKey, sealLinkSecret } from '../../encryption/requests.ts';
import { keepDatabasesInMemory } from '../testing/memory-database.ts';
import { keepInbox } from './inbox-keys.ts';
import { importKeyFile, writeKeyFile } from './key-file.ts';
import { findKey } from './key-ring.ts';
import { openReceivedKeys } from './received-keys.ts';

const OWNER = 'prem';
const INVITATION = '0123456789abcdefghijklmnop';
const TRANSFER = 'ponmlkjihgfedcba9876543210';

beforeEach(keepDatabasesInMemory);

async function receive({ transferId = TRANSFER, isOtherSecret = false } = {}) {
  const { linkSecret, params } = await createEncryption();
  const inbox = { ...(await createInboxKey()), invitationId: INVITATION, owner: OWNER, savedAt: 1 };
  const secret = isOtherSecret ? (await createEncryption()).linkSecret : linkSecret;
  const sealedKey = await sealLinkSecret(
    inbox.publicKey,
    { invitationId: INVITATION, transferId: TRANSFER },
    secret,
  );
  const receivedKey = { invitationId: INVITATION, sealedKey };
  return { inbox, key: formatKey(linkSecret), transfer: { id: transferId, encryption: params, receivedKey } };
}

test('the key of the invitation puts the key of what arrived into the key ring', async () => {
  const { inbox, key, transfer } = await receive();
  expect([...(await openReceivedKeys(OWNER, [transfer]))]).toEqual([[TRANSFER, 'no-inbox']]);
  expect(await findKey(TRANSFER)).toBeUndefined();
  await keepInbox(inbox);
  expect((await openReceivedKeys('someone else', [transfer])).get(TRANSFER)).toBe('no-inbox');
  expect((await openReceivedKeys(OWNER, [transfer])).size).toBe(0);
  expect(await findKey(TRANSFER)).toMatchObject({ key, owner: OWNER, isDraft: false });
});

test('a key that does not fit the transfer is not kept', async () => {
  for (const wrong of [{ transferId: INVITATION }, { isOtherSecret: true }]) {
    const { inbox, transfer } = await receive(wrong);
    await keepInbox(inbox);
    expect((await openReceivedKeys(OWNER, [transfer])).get(transfer.id)).toBe('wrong-key');
    expect(await findKey(transfer.id)).toBeUndefined();
  }
});

test('an export takes the keys of invitations to another browser', async () => {
  const { inbox, transfer } = await receive();
  const file = await writeKeyFile([], [inbox], 'sesame');
  expect(await file.text()).not.toContain(inbox.privateKey);
  expect(await importKeyFile(file, 'sesame', OWNER)).toBe(1);
  expect(await importKeyFile(file, 'sesame', OWNER)).toBe(0);
  expect((await openReceivedKeys(OWNER, [transfer])).size).toBe(0);
});
