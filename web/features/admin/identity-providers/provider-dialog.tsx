import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useEffect, useState } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import {
  type AdminIdentityProvider,
  PROVIDER_NAME_MAX,
} from '../../../../contracts/admin/identity-providers.ts';
import { bindField, useContractForm } from '../../../api/forms/contract-form.ts';
import { Button } from '../../../components/actions/button.tsx';
import { ConfirmDialog } from '../../../components/dialogs/confirm-dialog.tsx';
import { Checkbox } from '../../../components/form/checkbox.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { useLast } from '../use-last.ts';
import {
  checkProvider,
  findNewlyRequired,
  type ProviderForm,
  toChanges,
  toNewProvider,
  toProviderForm,
} from './provider-form.ts';
import { useCreateProvider, useTestProvider, useUpdateProvider } from './provider-queries.ts';
import { TestResult } from './test-result.tsx';

/** Adds a provider if `provider` is missing. */
export type OpenProviderForm = { provider?: AdminIdentityProvider };

type ProviderDialogProps = { form: OpenProviderForm | null; onClose: () => void };

export function ProviderDialog({ form, onClose }: ProviderDialogProps) {
  // Keep the content while the dialog fades out.
  const provider = useLast(form ?? undefined)?.provider;
  return (
    <FormDialog
      title={provider ? t`Edit ${provider.name}` : t`Add a sign-in provider`}
      isOpen={form !== null}
      onClose={onClose}
    >
      {(parts) => <ProviderFormView provider={provider} {...parts} />}
    </FormDialog>
  );
}

type ViewProps = FormDialogParts & { provider: AdminIdentityProvider | undefined };

/** Mounted only while the dialog is open, so its state starts fresh. */
function ProviderFormView({ provider, onChanged, onCancel, onSaved }: ViewProps) {
  const form = useContractForm({ check: checkProvider(provider), defaultValues: toProviderForm(provider) });
  const { isDirty, isSubmitting } = form.formState;
  const creation = useCreateProvider(form);
  const update = useUpdateProvider(form);
  const [toConfirm, setToConfirm] = useState<ProviderForm>();
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  const save = async (values: ProviderForm) => {
    const isSaved = await (provider
      ? update.run({ params: { id: provider.id }, body: toChanges(values) })
      : creation.run({ body: toNewProvider(values) }));
    if (isSaved) onSaved();
  };
  const submit = form.handleSubmit((values) =>
    findNewlyRequired(provider, values).length > 0 ? setToConfirm(values) : save(values),
  );
  return (
    <form noValidate aria-label={provider ? t`Edit provider` : t`Add provider`} onSubmit={submit}>
      <ProviderFields form={form} provider={provider} />
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          type="submit"
          disabled={provider && !isDirty}
          isBusy={isSubmitting || creation.isPending || update.isPending}
          busyLabel={t`Saving...`}
          className="max-sm:grow"
        >
          {provider ? t`Save changes` : t`Add provider`}
        </Button>
      </FormDialogFooter>
      <RequireDialog
        values={toConfirm}
        provider={provider}
        onClose={() => setToConfirm(undefined)}
        onConfirm={(values) => {
          setToConfirm(undefined);
          void save(values);
        }}
      />
    </form>
  );
}

type RequireDialogProps = {
  values: ProviderForm | undefined;
  provider: AdminIdentityProvider | undefined;
  onClose: () => void;
  onConfirm: (values: ProviderForm) => void;
};

/** Says who can still sign in before a provider becomes the only way. */
function RequireDialog({ values, provider, onClose, onConfirm }: RequireDialogProps) {
  const shown = useLast(values);
  if (!shown) return null;
  const { name } = shown;
  const domains = findNewlyRequired(provider, shown).join(', ');
  return (
    <ConfirmDialog
      title={t`Require ${name}?`}
      description={
        <Trans>
          Everyone with an address of <strong className="font-medium text-ink">{domains}</strong> then signs
          in with {name} only: passwords, emailed links and password resets stop working for them.
          Administrators with a password can still use it, so that you get in while the provider is down. Test
          the provider and sign in with it yourself first.
        </Trans>
      }
      confirmLabel={t`Require it`}
      isOpen={values !== undefined}
      onOpenChange={onClose}
      onConfirm={() => onConfirm(shown)}
    />
  );
}

type FieldsProps = {
  form: UseFormReturn<ProviderForm>;
  provider: AdminIdentityProvider | undefined;
};

const AS_TYPED = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

function ProviderFields({ form, provider }: FieldsProps) {
  const { register, control } = form;
  const removesSecret = useWatch({ control, name: 'removesSecret' });
  return (
    <div className="flex flex-col gap-5 [&_input]:scroll-mb-28">
      <IssuerField form={form} provider={provider} />
      <TextField label={t`Client ID`} {...AS_TYPED} {...bindField(form, 'clientId')} />
      <div className="flex flex-col gap-3">
        <TextField
          label={t`Client secret`}
          type="password"
          isOptional={!provider}
          disabled={removesSecret}
          hint={
            provider?.hasSecret
              ? t`Leave empty to keep the present one.`
              : t`Leave empty for a public client, which has none.`
          }
          {...AS_TYPED}
          autoComplete="new-password"
          {...bindField(form, 'clientSecret')}
        />
        {provider?.hasSecret && (
          <Checkbox label={t`Remove the secret: this is a public client`} {...register('removesSecret')} />
        )}
      </div>
      <TextField
        label={t`Name on the button`}
        maxLength={PROVIDER_NAME_MAX}
        autoComplete="off"
        hint={t`People read “Continue with” and this name.`}
        {...bindField(form, 'name')}
      />
      <TextField
        label={t`Email domains`}
        isOptional
        placeholder="example.org, example.com"
        hint={t`Separated by commas. Only these addresses may get an account by the provider; if empty, all. You prove that they are yours after saving.`}
        {...AS_TYPED}
        {...bindField(form, 'domains')}
      />
      <Switch
        label={t`Creates accounts`}
        hint={t`People with a confirmed address get an account when they first sign in, even where registration is closed.`}
        {...register('mayCreateAccounts')}
      />
      <Switch
        label={t`Required for its domains`}
        hint={t`These addresses sign in with this provider only. Administrators with a password are exempt.`}
        {...register('isRequiredForDomains')}
      />
      <Switch
        label={t`Trust its second factor`}
        hint={t`Don't ask for the account's own second factor if the provider says that it asked for one.`}
        {...register('trustsSecondFactor')}
      />
      <Switch
        label={t`Turned on`}
        hint={t`While it is off, nobody can sign in with it. Links to accounts stay.`}
        {...register('isEnabled')}
      />
    </div>
  );
}

function IssuerField({ form, provider }: FieldsProps) {
  const issuer = useWatch({ control: form.control, name: 'issuer' });
  const { mutate, isPending, data, variables } = useTestProvider();
  const test = async () => {
    if (await form.trigger('issuer')) mutate(issuer.trim());
    else form.setFocus('issuer');
  };
  return (
    <div className="flex flex-col gap-3">
      <TextField
        label={t`Issuer`}
        type="url"
        inputMode="url"
        placeholder="https://login.example.org"
        readOnly={provider !== undefined}
        hint={
          provider
            ? t`Fixed, because linked accounts belong to it.`
            : t`The address in your provider's settings, exactly as it is written there.`
        }
        {...AS_TYPED}
        {...bindField(form, 'issuer')}
      />
      <Button
        variant="secondary"
        size="sm"
        className="self-start"
        isBusy={isPending}
        onClick={() => void test()}
      >
        <Trans>Test the issuer</Trans>
      </Button>
      {data && variables === issuer.trim() && <TestResult result={data} />}
    </div>
  );
}
