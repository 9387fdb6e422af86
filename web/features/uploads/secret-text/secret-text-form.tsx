import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useState } from 'react';
import { errorDetail } from '../../../../client/api-error.ts';
import { getMonthlyUsage } from '../../../../contracts/accounts/accounts.ts';
import { SECRET_TEXT_MAX, TITLE_MAX, TRANSFER_PASSWORD_MAX } from '../../../../contracts/plans/limits.ts';
import { describeTooManyDownloads, maxDownloadsOf } from '../../../../contracts/plans/tiers.ts';
import { maxExpirationDays } from '../../../../contracts/transfers/settings/settings-rules.ts';
import { listTransfers, TransferSettings } from '../../../../contracts/transfers/transfers.ts';
import { formatCount } from '../../../../contracts/values/format.ts';
import { isSecretText } from '../../../../encryption/secret-text.ts';
import { bindField, checkWith, useContractForm } from '../../../api/forms/contract-form.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { TextArea } from '../../../components/form/text-area.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { translateSentence } from '../../../lib/language/sentences.ts';
import type { SettingsPlan } from '../../../transfer-settings/settings-form.ts';
import { checkDays } from '../../../transfer-settings/settings-refusals.ts';
import { SecretTextSender, type SentSecretText } from './send-secret-text.ts';

const DEFAULT_DAYS = 7;

type SecretTextForm = {
  text: string;
  title: string;
  password: string;
  expirationDays: string;
  maxDownloads: string;
};

export type SentSecret = SentSecretText & { opens: number; days: number; hasPassword: boolean };

type SecretTextFormProps = { userId: string; plan: SettingsPlan; onSent: (sent: SentSecret) => void };

export function SecretTextForm({ userId, plan, onSent }: SecretTextFormProps) {
  const [sender] = useState(() => new SecretTextSender(userId));
  const longest = maxExpirationDays(plan.retentionDays);
  const form = useContractForm<SecretTextForm>({
    check: checkWith(
      TransferSettings.pick({ title: true, password: true, maxDownloads: true }),
      ({ title, password, maxDownloads }) => ({ title, password, maxDownloads: toNumber(maxDownloads) }),
      (typed) => findMistakes(typed, plan),
    ),
    defaultValues: {
      text: '',
      title: '',
      password: '',
      expirationDays: String(Math.min(DEFAULT_DAYS, longest)),
      maxDownloads: '1',
    },
  });
  const sending = useAction(
    async (typed: SecretTextForm): Promise<SentSecret> => {
      const days = Number(typed.expirationDays);
      const opens = Number(typed.maxDownloads);
      const sent = await sender.send({ ...typed, expirationDays: days, maxDownloads: opens });
      return { ...sent, opens, days, hasPassword: typed.password !== '' };
    },
    {
      failure: (error) => ({
        title: t`The link could not be created`,
        description: errorDetail(error),
        variant: 'destructive',
      }),
      onSuccess: onSent,
      refreshes: [listTransfers, getMonthlyUsage],
      form,
    },
  );
  const length = form.watch('text').length;
  return (
    <form
      noValidate
      aria-labelledby="secret-text"
      className="mt-rhythm grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_23rem]"
      onSubmit={form.handleSubmit((typed) => void sending.run(typed))}
    >
      <TextArea
        label={t`Text`}
        rows={8}
        spellCheck={false}
        autoComplete="off"
        aside={
          length > SECRET_TEXT_MAX / 2 && (
            <span className="tabular text-xs text-ink-faint">
              {formatCount(length)} / {formatCount(SECRET_TEXT_MAX)}
            </span>
          )
        }
        hint={t`For passwords, codes and other texts that only one person should read. It is encrypted in this browser.`}
        className="[&_textarea]:font-mono"
        {...bindField(form, 'text')}
      />
      <Surface className="flex flex-col gap-5">
        <h2 className="text-xl">
          <Trans>Options</Trans>
        </h2>
        <TextField
          label={t`How many times it can be opened`}
          type="number"
          inputMode="numeric"
          min={1}
          max={maxDownloadsOf(plan.tier)}
          hint={t`After that, the link shows nothing to anybody.`}
          {...bindField(form, 'maxDownloads')}
        />
        <TextField
          label={t`Expiration days`}
          type="number"
          inputMode="numeric"
          min={1}
          max={longest}
          hint={longest === 1 ? t`1 day on your plan` : t`1 to ${longest} days on your plan`}
          {...bindField(form, 'expirationDays')}
        />
        <TextField
          label={t`Password`}
          type="password"
          autoComplete="new-password"
          maxLength={TRANSFER_PASSWORD_MAX}
          isOptional
          hint={t`It becomes part of the key and is never sent to the server, so nobody can reset it.`}
          {...bindField(form, 'password')}
        />
        <TextField
          label={t`Title`}
          maxLength={TITLE_MAX}
          isOptional
          hint={t`The recipient sees it before the text is shown.`}
          {...bindField(form, 'title')}
        />
        <Button
          type="submit"
          size="lg"
          className="w-full"
          isBusy={sending.isPending}
          busyLabel={t`Encrypting…`}
        >
          <Trans>Create link</Trans>
        </Button>
      </Surface>
    </form>
  );
}

function findMistakes(typed: SecretTextForm, { tier, retentionDays }: SettingsPlan) {
  const days = checkDays(toNumber(typed.expirationDays), retentionDays);
  const opens = toNumber(typed.maxDownloads);
  const text = findTextMistake(typed.text);
  return {
    ...(text && { text }),
    ...(days && { expirationDays: days }),
    ...(Number.isNaN(opens) && { maxDownloads: t`Please enter a number.` }),
    ...(opens > maxDownloadsOf(tier) && { maxDownloads: translateSentence(describeTooManyDownloads(tier)) }),
  };
}

function findTextMistake(text: string): string | undefined {
  if (text.trim() === '') return t`Please enter a text.`;
  if (text.length > SECRET_TEXT_MAX)
    return plural(text.length - SECRET_TEXT_MAX, {
      one: 'The text is # character too long. Send it as a file instead.',
      other: 'The text is # characters too long. Send it as a file instead.',
    });
  return isSecretText(text) ? undefined : t`This text contains characters that cannot be sent.`;
}

function toNumber(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
}
