import type { Trx } from '../../platform/db/open.ts';
import type { ApiKeyRow, UserRow } from '../../platform/db/schema.ts';
import { renderMail } from '../../platform/mail/layout.ts';
import { enqueueMail } from '../../platform/mail/outbox.ts';
import { toOneLine } from '../../platform/mail/plain.ts';
import { formatInstant } from '../../platform/mail/wording.ts';
import { SECURITY_REASON, wasNotMe } from '../accounts/index.ts';

type KeyCreatedMail = {
  owner: Pick<UserRow, 'id' | 'email'>;
  key: Pick<ApiKeyRow, 'name' | 'prefix' | 'createdAt'>;
  /** Made by `offerSecuring`. */
  secureUrl: string;
};

const NAME_LENGTH = 80;

/** Schedules the mail about a new API key, with the link for whoever did not create it. */
export async function enqueueKeyCreatedMail(
  trx: Trx,
  { owner, key: { name, prefix, createdAt }, secureUrl }: KeyCreatedMail,
): Promise<void> {
  await enqueueMail(trx, {
    kind: 'api-key-created',
    recipient: owner.email,
    subject: 'A new API key for your Sendwell account',
    ...renderMail({
      preview: 'If that was you, there is nothing to do.',
      title: 'A new API key was created',
      blocks: [
        {
          kind: 'facts',
          facts: [
            { label: 'Name', value: toOneLine(name, NAME_LENGTH) },
            { label: 'Begins with', value: prefix },
            { label: 'When', value: formatInstant(createdAt) },
          ],
        },
        {
          kind: 'text',
          text: 'Whoever has this key can use your account. If that was you, there is nothing to do.',
        },
        ...wasNotMe(secureUrl),
      ],
      reason: SECURITY_REASON,
    }),
    userId: owner.id,
    createdAt,
  });
}
