import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import { updateTierConfig } from '../../../../contracts/admin/plans.ts';
import {
  getTierConfig,
  TIERS,
  type TierConfig,
  type TierName,
  tierIncludes,
  tierLabel,
} from '../../../../contracts/plans/tiers.ts';
import { queryOf } from '../../../api/endpoint-query.ts';
import { bindField, useContractForm } from '../../../api/forms/contract-form.ts';
import { markTold } from '../../../api/forms/field-errors.ts';
import { queryClient, queryKeyOf } from '../../../api/query-client.ts';
import { useAction } from '../../../api/use-action.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { Select } from '../../../components/form/select.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { LeaveGuard } from '../../../components/layout/leave-guard.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { AdminPage, Failure } from '../admin-page.tsx';
import {
  checkTierForm,
  PLACEHOLDERS,
  readTierForm,
  type TierForm as TierValues,
  toTierForm,
} from './tier-form.ts';

export function AdminSettingsPage() {
  const { data, error, isFetching, refetch } = useQuery({
    ...queryOf(getTierConfig),
    refetchOnMount: 'always',
  });
  return (
    <AdminPage
      title={t`Tier Settings`}
      description={t`Changes apply from the next request on. Existing transfers keep their expiry.`}
    >
      {data && <TierForm config={data} />}
      {!data && error && !isFetching && (
        <Failure title={t`The settings couldn't be loaded`} error={error} onRetry={() => void refetch()} />
      )}
      {!data && (!error || isFetching) && (
        <SkeletonGroup label={t`Loading the settings`} className="grid gap-6 lg:grid-cols-3">
          {['free', 'pro', 'premium'].map((tier) => (
            <Skeleton key={tier} className="h-96" />
          ))}
        </SkeletonGroup>
      )}
    </AdminPage>
  );
}

function TierForm({ config }: { config: TierConfig }) {
  const form = useContractForm({ check: checkTierForm, defaultValues: toTierForm(config) });
  const { isDirty } = form.formState;
  const { mutate, isPending } = useAction(updateTierConfig, {
    form,
    onSuccess: (saved) => queryClient.setQueryData(queryKeyOf(getTierConfig), saved),
    success: { title: t`Settings saved`, description: t`The new limits and prices apply from now on.` },
  });
  const { reset } = form;
  useEffect(() => reset(toTierForm(config)), [config, reset]);
  const submit = form.handleSubmit(
    (values) => {
      const read = readTierForm(values);
      if ('config' in read) mutate({ body: read.config });
    },
    () => {
      const read = readTierForm(form.getValues());
      if (!('wrong' in read && read.wrong.isSize)) return;
      const { field, message } = read.wrong;
      toast({ title: t`Error`, description: message, variant: 'destructive' });
      markTold(form, { [field]: message });
    },
  );
  return (
    <form noValidate aria-label={t`Tier settings`} onSubmit={submit}>
      <div className="grid gap-6 lg:grid-cols-3">
        {TIERS.map((tier) => (
          <TierFields key={tier} tier={tier} form={form} />
        ))}
      </div>
      <div className="mt-7 flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={!isDirty} isBusy={isPending} busyLabel={t`Saving...`}>
          <Trans>Save Settings</Trans>
        </Button>
        {isDirty && (
          <Button variant="ghost" onClick={() => reset()}>
            <Trans>Discard changes</Trans>
          </Button>
        )}
      </div>
      <LeaveGuard
        isActive={isDirty}
        title={t`Discard your changes?`}
        description={t`Your unsaved changes will be lost.`}
        confirmLabel={t`Discard changes`}
      />
    </form>
  );
}

function TierFields({ tier, form }: { tier: TierName; form: UseFormReturn<TierValues> }) {
  const { storagePerTransfer, monthlyTotal, retentionDays } = PLACEHOLDERS[tier];
  const encryption = useWatch({ control: form.control, name: `${tier}.encryption` });
  const size = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
  return (
    <Surface as="fieldset" className="flex flex-col gap-5">
      <legend className="float-left mb-1 w-full font-heading text-xl">{tierLabel(tier)}</legend>
      <TextField
        label={t`Storage per transfer`}
        placeholder={storagePerTransfer}
        {...size}
        {...bindField(form, `${tier}.storagePerTransfer`)}
      />
      <TextField
        label={t`Monthly total`}
        placeholder={monthlyTotal}
        {...size}
        {...bindField(form, `${tier}.monthlyTotal`)}
      />
      <TextField
        label={t`Retention in days`}
        type="number"
        inputMode="numeric"
        min={1}
        max={90}
        placeholder={retentionDays}
        {...bindField(form, `${tier}.retentionDays`)}
      />
      <Select
        label={t`End-to-end encryption`}
        hint={
          encryption === 'required' && tierIncludes(tier, 'invitations')
            ? t`Upload invitations that don't ask for encrypted files accept nothing then.`
            : undefined
        }
        options={[
          { value: 'offered', label: t`Senders may choose` },
          { value: 'required', label: t`Always required` },
          { value: 'forbidden', label: t`Not allowed` },
        ]}
        {...form.register(`${tier}.encryption`)}
      />
      {tier === 'free' ? (
        <p className="text-sm text-ink-faint">
          <Trans>Sizes are a number with B, KB, MB, GB or TB: 5GB, 2000MB, 1024KB.</Trans>
        </p>
      ) : (
        <TextField
          label={t`Price in dollars a month`}
          type="number"
          inputMode="decimal"
          min={0}
          step={0.01}
          {...bindField(form, `${tier}.price`)}
        />
      )}
    </Surface>
  );
}
