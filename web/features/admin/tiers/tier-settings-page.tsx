import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { updateTierConfig } from '../../../../contracts/admin/plans.ts';
import {
  getTierConfig,
  TIERS,
  type TierConfig,
  type TierName,
  tierLabel,
} from '../../../../contracts/plans/tiers.ts';
import { call } from '../../../api/call.ts';
import { findFieldErrors, showFieldErrors } from '../../../api/field-errors.ts';
import { queryClient } from '../../../api/query-client.ts';
import { Button } from '../../../components/actions/button.tsx';
import { Skeleton, SkeletonGroup } from '../../../components/feedback/skeleton.tsx';
import { toast } from '../../../components/feedback/toast.ts';
import { TextField } from '../../../components/form/text-field.tsx';
import { LeaveGuard } from '../../../components/layout/leave-guard.tsx';
import { Surface } from '../../../components/layout/surface.tsx';
import { AdminPage, Failure } from '../admin-page.tsx';
import { useAct } from '../use-act.ts';
import {
  PLACEHOLDERS,
  readTierForm,
  type TierField,
  type TierForm as TierValues,
  toTierForm,
} from './tier-form.ts';

export function AdminSettingsPage() {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [getTierConfig.path],
    queryFn: ({ signal }) => call(getTierConfig, { signal }),
    refetchOnMount: 'always',
  });
  return (
    <AdminPage
      title="Tier Settings"
      description="Changes hold from the next request on. Transfers that exist keep their end."
    >
      {data && <TierForm config={data} />}
      {!data && error && !isFetching && (
        <Failure what="The settings" error={error} onRetry={() => void refetch()} />
      )}
      {!data && (!error || isFetching) && (
        <SkeletonGroup label="Loading the settings" className="grid gap-6 lg:grid-cols-3">
          {['free', 'pro', 'premium'].map((tier) => (
            <Skeleton key={tier} className="h-96" />
          ))}
        </SkeletonGroup>
      )}
    </AdminPage>
  );
}

const FIELDS = TIERS.flatMap((tier) =>
  (['storagePerTransfer', 'monthlyTotal', 'retentionDays', 'price'] as const).map(
    (name): TierField => `${tier}.${name}`,
  ),
);

function TierForm({ config }: { config: TierConfig }) {
  const form = useForm<TierValues>({ defaultValues: toTierForm(config) });
  const { isDirty, isSubmitting } = form.formState;
  const { mutateAsync } = useAct((body: TierConfig) => call(updateTierConfig, { body }), {
    onDone: (saved) => queryClient.setQueryData([getTierConfig.path], saved),
    done: () => ({ title: 'Settings saved', description: 'The new limits and prices hold from now on.' }),
  });
  const { reset } = form;
  useEffect(() => reset(toTierForm(config)), [config, reset]);
  const submit = form.handleSubmit(async (values) => {
    const read = readTierForm(values);
    if ('wrong' in read) {
      const { field, message, isSize } = read.wrong;
      form.setError(field, { message }, { shouldFocus: true });
      if (isSize) toast({ title: 'Error', description: message, variant: 'destructive' });
      return;
    }
    try {
      await mutateAsync(read.config);
    } catch (error) {
      // The toast already shows the error; also show it at its field.
      showFieldErrors(form.setError, findFieldErrors(error, FIELDS));
    }
  });
  return (
    <form noValidate aria-label="Tier settings" onSubmit={submit}>
      <div className="grid gap-6 lg:grid-cols-3">
        {TIERS.map((tier) => (
          <TierFields key={tier} tier={tier} form={form} />
        ))}
      </div>
      <div className="mt-7 flex flex-wrap items-center gap-3">
        <Button type="submit" disabled={!isDirty} isBusy={isSubmitting} busyLabel="Saving...">
          Save Settings
        </Button>
        {isDirty && (
          <Button variant="ghost" onClick={() => reset()}>
            Discard changes
          </Button>
        )}
      </div>
      <LeaveGuard
        isActive={isDirty}
        title="Discard your changes?"
        description="What you changed and did not save will be lost."
        confirmLabel="Discard changes"
      />
    </form>
  );
}

function TierFields({ tier, form }: { tier: TierName; form: UseFormReturn<TierValues> }) {
  const { register, formState } = form;
  const { storagePerTransfer, monthlyTotal, retentionDays } = PLACEHOLDERS[tier];
  const errors = formState.errors[tier];
  const size = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;
  return (
    <Surface as="fieldset" className="flex flex-col gap-5">
      <legend className="float-left mb-1 w-full font-heading text-xl">{tierLabel(tier)}</legend>
      <TextField
        label="Storage per transfer"
        placeholder={storagePerTransfer}
        {...size}
        {...register(`${tier}.storagePerTransfer`)}
        error={errors?.storagePerTransfer?.message}
      />
      <TextField
        label="Monthly total"
        placeholder={monthlyTotal}
        {...size}
        {...register(`${tier}.monthlyTotal`)}
        error={errors?.monthlyTotal?.message}
      />
      <TextField
        label="Retention in days"
        type="number"
        inputMode="numeric"
        min={1}
        max={90}
        placeholder={retentionDays}
        {...register(`${tier}.retentionDays`)}
        error={errors?.retentionDays?.message}
      />
      {tier === 'free' ? (
        <p className="text-sm text-ink-faint">
          Sizes are a number with B, KB, MB, GB or TB: 5GB, 2000MB, 1024KB.
        </p>
      ) : (
        <TextField
          label="Price in dollars a month"
          type="number"
          inputMode="decimal"
          min={0}
          step={0.01}
          {...register(`${tier}.price`)}
          error={errors?.price?.message}
        />
      )}
    </Surface>
  );
}
