import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { KeyRound } from 'lucide-react';
import type { ReactNode } from 'react';
import type { InvitationDetails } from '../../../contracts/transfers/uploads/invitations.ts';
import { parseInboxKey } from '../../../encryption/inbox-link.ts';
import { bindField, useContractForm } from '../../api/forms/contract-form.ts';
import { Button } from '../../components/actions/button.tsx';
import { StillWell } from '../../components/feedback/well.tsx';
import { TextField } from '../../components/form/text-field.tsx';
import { Headline } from '../../components/layout/headline.tsx';
import { Stage } from '../../components/layout/stage.tsx';
import { canEncrypt } from '../../lib/browser/can-encrypt.ts';
import { usePageTitle } from '../../lib/browser/page-title.ts';
import { repairedPath } from './invitation-link.ts';

/** What prevents files from being encrypted for the owner. */
export type KeyProblem = 'no-key' | 'no-cryptography' | 'not-expected';

export function findKeyProblem(
  { encryption }: Pick<InvitationDetails, 'encryption'>,
  inboxKey: string | undefined,
): KeyProblem | undefined {
  // Otherwise a server could make visitors of an encrypted invitation send readable files.
  if (!encryption) return inboxKey === undefined ? undefined : 'not-expected';
  if (inboxKey === undefined) return 'no-key';
  return canEncrypt() ? undefined : 'no-cryptography';
}

type KeylessProps = { token: string; senderName: string; problem: KeyProblem };

/** Shown instead of the steps, because nothing can be sent. */
export function KeylessInvitation({ token, senderName, problem }: KeylessProps) {
  if (problem === 'no-key')
    return (
      <Card title={t`The key is missing`}>
        <p className="mt-6 max-w-[34rem] text-lg text-ink-soft">
          <Trans>
            Files for {senderName} are end-to-end encrypted. The key for that is the last part of the link,
            after #, and it is missing or damaged here.
          </Trans>
        </p>
        <p className="mt-3 max-w-[34rem] text-ink-faint">
          <Trans>Paste the whole link, or ask {senderName} to send it again.</Trans>
        </p>
        <LinkForm token={token} />
      </Card>
    );
  return (
    <Card title={t`Files cannot be sent here`}>
      <p className="mt-6 max-w-[34rem] text-lg text-ink-soft">
        {problem === 'no-cryptography' ? (
          <Trans>
            Files for {senderName} are end-to-end encrypted. Your browser can do that only on https addresses.
          </Trans>
        ) : (
          <Trans>
            This link asks for end-to-end encrypted files, but the server would accept readable ones. Please
            ask {senderName} for a new link.
          </Trans>
        )}
      </p>
    </Card>
  );
}

function Card({ title, children }: { title: string; children: ReactNode }) {
  usePageTitle(title);
  return (
    <Stage
      head={
        <div role="alert">
          <Headline title={title}>{children}</Headline>
        </div>
      }
      well={
        <StillWell>
          <KeyRound aria-hidden="true" strokeWidth={1.25} />
        </StillWell>
      }
    />
  );
}

/** The page continues once the key is in its own fragment. */
function LinkForm({ token }: { token: string }) {
  const form = useContractForm({
    check: ({ link }) => (parseInboxKey(link) ? {} : { link: t`This link has no key. Copy all of it.` }),
    defaultValues: { link: '' },
  });
  const submit = form.handleSubmit(({ link }) => {
    window.location.hash = repairedPath({ token, inboxKey: parseInboxKey(link) }).split('#')[1] ?? '';
  });
  return (
    <form noValidate onSubmit={submit} className="mt-8 flex max-w-[34rem] flex-col items-start gap-4">
      <TextField
        label={t`Link of the invitation`}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        className="w-full"
        {...bindField(form, 'link')}
      />
      <Button type="submit">
        <Trans>Continue</Trans>
      </Button>
    </form>
  );
}
