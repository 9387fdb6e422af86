import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { MailPlus } from 'lucide-react';
import { useState } from 'react';
import { z } from 'zod';
import {
  ACCOUNT_INVITATION_DAYS,
  type AccountInvitation,
  createAccountInvitation,
  listAccountInvitations,
  type RegistrationMode,
  resendAccountInvitation,
  revokeAccountInvitation,
} from '../../../../contracts/accounts/registration.ts';
import { Email } from '../../../../contracts/values/fields.ts';
import { call } from '../../../api/call.ts';
import { removeRows, replaceRow } from '../../../api/endpoint-query.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { type Column, DataTable } from '../../../components/data/data-table.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Badge } from '../../../components/feedback/badge.tsx';
import { EmptyState } from '../../../components/feedback/empty-state.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { formatDateTime } from '../../../lib/time/format-dates.ts';
import { AdminSection } from '../admin-page.tsx';
import { ListBody } from '../lists/list-body.tsx';
import { usePages } from '../lists/use-pages.ts';
import { useLast } from '../use-last.ts';

const outdated = [listAccountInvitations];

export function AccountInvitations({ mode }: { mode: RegistrationMode }) {
  const list = usePages(listAccountInvitations, {});
  const [toRevoke, setToRevoke] = useState<AccountInvitation | null>(null);
  const resend = useAction(({ id }: AccountInvitation) => call(resendAccountInvitation, { params: { id } }), {
    outdated,
    onSuccess: (invitation) => replaceRow(listAccountInvitations, invitation),
    success: ({ email }) => ({
      title: t`Invitation sent`,
      description: t`${email} gets a new link; the old one no longer works.`,
    }),
  });
  const isClosed = mode === 'closed';
  return (
    <AdminSection
      title={t`Invitations`}
      description={t`The link is emailed to the address, works once and only for that address, and is valid for ${ACCOUNT_INVITATION_DAYS} days. It also verifies the address, so no code is needed.`}
    >
      {isClosed ? (
        <p className="mb-6 text-ink-soft">
          <Trans>Registration is closed. Choose another mode to invite people.</Trans>
        </p>
      ) : (
        <InviteForm />
      )}
      <ListBody
        list={list}
        onClear={undefined}
        nothing={
          <EmptyState
            icon={<MailPlus />}
            title={t`No invitations yet`}
            description={t`People you invite are listed here until 30 days after their link has expired.`}
          />
        }
      >
        {(invitations) => (
          <DataTable
            label={t`Invitations`}
            rows={invitations}
            keyOf={({ id }) => id}
            heading={{
              label: t`Email`,
              render: ({ email }) => <span className="font-medium wrap-anywhere">{email}</span>,
            }}
            columns={COLUMNS}
            actions={(invitation) =>
              invitation.status !== 'accepted' && (
                <div className="flex justify-end gap-2">
                  <Button
                    variant="secondary"
                    size="sm"
                    disabled={isClosed}
                    isBusy={resend.isPending && resend.variables?.id === invitation.id}
                    aria-label={t`Resend the invitation to ${invitation.email}`}
                    onClick={() => resend.mutate(invitation)}
                  >
                    <Trans>Resend</Trans>
                  </Button>
                  <Button
                    variant="ghost"
                    size="sm"
                    aria-label={t`Revoke the invitation of ${invitation.email}`}
                    onClick={() => setToRevoke(invitation)}
                  >
                    <Trans>Revoke</Trans>
                  </Button>
                </div>
              )
            }
          />
        )}
      </ListBody>
      <Revocation invitation={toRevoke} onClose={() => setToRevoke(null)} />
    </AdminSection>
  );
}

const COLUMNS: Column<AccountInvitation>[] = [
  { label: t`Status`, render: (invitation) => <Status invitation={invitation} /> },
  { label: t`Registered or expires`, render: (invitation) => <End invitation={invitation} /> },
  { label: t`Sent`, render: ({ sentAt }) => <time dateTime={sentAt}>{formatDateTime(sentAt)}</time> },
  { label: t`Invited by`, render: ({ invitedBy }) => invitedBy },
];

function InviteForm() {
  const form = useContractForm({
    check: checkWith(z.object({ email: Email })),
    defaultValues: { email: '' },
  });
  const { mutate, isPending } = useAction(createAccountInvitation, {
    form,
    outdated,
    refreshes: outdated,
    onSuccess: () => form.reset(),
    success: (invitation) => ({
      title: t`Invitation sent`,
      description: t`A link is on its way to ${invitation.email}.`,
    }),
  });
  const invite = form.handleSubmit((body) => mutate({ body }));
  return (
    <form
      noValidate
      aria-label={t`Invite`}
      onSubmit={invite}
      className="mb-6 flex max-w-[36rem] items-start gap-3"
    >
      <TextField
        label={t`Email address`}
        type="email"
        autoComplete="off"
        className="grow"
        {...bindField(form, 'email')}
      />
      <Button type="submit" className="mt-[1.6875rem]" isBusy={isPending} busyLabel={t`Inviting...`}>
        <Trans>Invite</Trans>
      </Button>
    </form>
  );
}

function Status({ invitation: { status } }: { invitation: AccountInvitation }) {
  if (status === 'accepted')
    return (
      <Badge tone="accent">
        <Trans>Registered</Trans>
      </Badge>
    );
  if (status === 'expired')
    return (
      <Badge tone="danger">
        <Trans>Expired</Trans>
      </Badge>
    );
  return (
    <Badge tone="outline">
      <Trans>Open</Trans>
    </Badge>
  );
}

/** When the invitation was accepted, otherwise when its link expires. */
function End({ invitation: { expiresAt, acceptedAt } }: { invitation: AccountInvitation }) {
  const at = acceptedAt ?? expiresAt;
  return <time dateTime={at}>{formatDateTime(at)}</time>;
}

function Revocation({ invitation, onClose }: { invitation: AccountInvitation | null; onClose: () => void }) {
  const shown = useLast(invitation ?? undefined);
  const { mutate, isPending } = useAction(
    ({ id }: AccountInvitation) => call(revokeAccountInvitation, { params: { id } }),
    {
      outdated,
      refreshes: outdated,
      onSuccess: (_nothing, { id }) => removeRows(listAccountInvitations, id),
      success: (_nothing, { email }) => ({
        title: t`Invitation revoked`,
        description: t`The link that ${email} got no longer works.`,
      }),
    },
  );
  if (!shown) return null;
  return (
    <ConfirmDialog
      title={t`Revoke this invitation?`}
      description={
        <Trans>
          The link that <strong className="font-medium wrap-anywhere text-ink">{shown.email}</strong> got no
          longer works. You can invite them again.
        </Trans>
      }
      confirmLabel={t`Revoke invitation`}
      isDestructive
      isOpen={invitation !== null}
      onOpenChange={onClose}
      isBusy={isPending}
      onConfirm={() => mutate(shown, { onSettled: onClose })}
    />
  );
}
