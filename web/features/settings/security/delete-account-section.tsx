import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../../../client/api-error.ts';
import type { CurrentUser } from '../../../../contracts/accounts/accounts.ts';
import { deleteAccount } from '../../../../contracts/accounts/settings.ts';
import { listTransfers, type Transfer } from '../../../../contracts/transfers/transfers.ts';
import { PAGES } from '../../../../contracts/values/addresses/pages.ts';
import { fetchPages } from '../../../../contracts/values/paging.ts';
import { callPage } from '../../../api/call.ts';
import { bindField, useContractForm } from '../../../api/forms/contract-form.ts';
import { forgetSession } from '../../../api/session/session.ts';
import { useAction } from '../../../api/use-action.ts';
import { useCoolDown } from '../../../api/use-cool-down.ts';
import { Button } from '../../../components/actions/button.tsx';
import { CoolDownButton } from '../../../components/actions/cool-down-button.tsx';
import { Dialog, DialogFooter } from '../../../components/dialogs/dialog.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { SettingsSection } from '../settings-section.tsx';
import { describeAccountContents } from './account-contents.ts';
import { useHasPassword } from './factor-queries.ts';

export function DeleteAccountSection({ user }: { user: CurrentUser }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <SettingsSection
      id="delete-account"
      title={t`Delete account`}
      description={t`Your transfers, their files and everything about you are deleted. This cannot be undone.`}
    >
      <Button variant="danger" onClick={() => setOpen(true)}>
        <Trans>Delete account</Trans>
      </Button>
      <Dialog isOpen={isOpen} onOpenChange={setOpen} title={t`Delete your account?`}>
        <DeleteAccountForm user={user} onCancel={() => setOpen(false)} />
      </Dialog>
    </SettingsSection>
  );
}

type DeleteAccountFormProps = { user: CurrentUser; onCancel: () => void };

/** The username prevents accidents, the password protects against strangers. */
function DeleteAccountForm({ user, onCancel }: DeleteAccountFormProps) {
  const ownName = user.username;
  const [, navigate] = useLocation();
  const form = useContractForm({ check: () => ({}), defaultValues: { username: '', password: '' } });
  const { register, handleSubmit, watch, formState } = form;
  const { secondsLeft, startAfter } = useCoolDown();
  const { username, password } = watch();
  const hasPassword = useHasPassword();
  const isMeant = username.trim() === ownName && (password !== '' || !hasPassword);
  const { run } = useAction(deleteAccount, {
    form,
    toErrors: (error) =>
      error instanceof ApiError && error.code === 'wrong_current_password' ? { password: error.detail } : {},
    onSuccess: () => {
      navigate(PAGES.auth, { replace: true });
      forgetSession();
    },
    success: {
      title: t`Account deleted`,
      description: t`Your account and everything in it has been deleted.`,
    },
    failure: t`Account not deleted`,
    onError: startAfter,
  });
  const submit = handleSubmit(() => run({ body: hasPassword ? { password } : {} }));
  return (
    <form noValidate onSubmit={submit}>
      <DeletedContents />
      <div className="mt-6 flex flex-col gap-5">
        <TextField
          label={
            <Trans>
              Type your username <strong className="font-semibold wrap-anywhere">{ownName}</strong> to confirm
            </Trans>
          }
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...register('username')}
        />
        {hasPassword && (
          <TextField
            label={t`Password`}
            type="password"
            autoComplete="current-password"
            {...bindField(form, 'password')}
          />
        )}
      </div>
      <DialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <CoolDownButton
          type="submit"
          variant="danger"
          disabled={!isMeant}
          isBusy={formState.isSubmitting}
          busyLabel={t`Deleting...`}
          secondsLeft={secondsLeft}
          waitingLabel={t`Try again`}
        >
          <Trans>Delete my account</Trans>
        </CoolDownButton>
      </DialogFooter>
    </form>
  );
}

async function listAllTransfers({ signal }: { signal: AbortSignal }): Promise<Transfer[]> {
  const fetchPage = (cursor?: string) => callPage(listTransfers, { query: { cursor }, signal });
  const { items, nextCursor } = await fetchPage();
  const transfers = [...items];
  for await (const page of fetchPages(nextCursor, fetchPage)) transfers.push(...page);
  return transfers;
}

function DeletedContents() {
  const { data: transfers } = useQuery({
    queryKey: [listTransfers.path, 'whole'],
    queryFn: listAllTransfers,
    staleTime: 0,
  });
  const contents = transfers && describeAccountContents(transfers);
  return (
    <ul className="flex list-disc flex-col gap-1.5 pl-5 text-ink-soft marker:text-ink-faint">
      <li>
        {contents ? (
          <Trans>
            <strong className="font-medium text-ink">{contents}</strong> will be deleted. Their links stop
            working immediately, also for your recipients.
          </Trans>
        ) : (
          <Trans>
            All your transfers will be deleted. Their links stop working immediately, also for your
            recipients.
          </Trans>
        )}
      </li>
      <li>
        <Trans>Running uploads stop on all devices.</Trans>
      </li>
      <li>
        <Trans>Your name, addresses, settings and sessions are deleted. This cannot be undone.</Trans>
      </li>
    </ul>
  );
}
