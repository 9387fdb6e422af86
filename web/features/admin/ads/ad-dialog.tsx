import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Paperclip, X } from 'lucide-react';
import { type ChangeEvent, useEffect, useRef } from 'react';
import { type UseFormReturn, useWatch } from 'react-hook-form';
import {
  AD_DURATION_MAX,
  AD_IMAGE_MAX_BYTES,
  AD_VIDEO_MAX_BYTES,
  type Ad,
} from '../../../../contracts/plans/ads.ts';
import { TITLE_MAX } from '../../../../contracts/plans/limits.ts';
import { formatSize } from '../../../../contracts/values/sizes.ts';
import { bindField, useContractForm } from '../../../api/forms/contract-form.ts';
import { Button } from '../../../components/actions/button.tsx';
import { IconButton } from '../../../components/actions/icon-button.tsx';
import { ProgressBar } from '../../../components/feedback/progress-bar.tsx';
import { Field } from '../../../components/form/field.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../../components/form/form-dialog.tsx';
import { Select } from '../../../components/form/select.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { useLast } from '../use-last.ts';
import { ACCEPTED, type AdForm, checkAd, toAdForm, toFormData, VIDEO_TYPES } from './ad-form.ts';
import { useCreateAd, useUpdateAd, useUploadProgress } from './ad-queries.ts';

/** Creates a new ad if `ad` is missing. */
export type OpenAdForm = { ad?: Ad };

export function AdDialog({ form, onClose }: { form: OpenAdForm | null; onClose: () => void }) {
  // Keep the content while the dialog fades out.
  const ad = useLast(form ?? undefined)?.ad;
  return (
    <FormDialog title={ad ? t`Edit ad` : t`Create ad`} isOpen={form !== null} onClose={onClose}>
      {(parts) => <AdFormView ad={ad} {...parts} />}
    </FormDialog>
  );
}

/** Mounted only while the dialog is open, so its state starts fresh. */
function AdFormView({ ad, onChanged, onCancel, onSaved }: FormDialogParts & { ad: Ad | undefined }) {
  const { sentShare, submit, form } = useAdForm(ad, onSaved);
  const { isDirty, isSubmitting } = form.formState;
  const { file } = useWatch({ control: form.control }) as AdForm;
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  return (
    <form noValidate aria-label={ad ? t`Edit ad` : t`Create ad`} onSubmit={submit}>
      <AdFields form={form} ad={ad} />
      {file && sentShare !== null && (
        <ProgressBar label={t`Uploading ${file.name}`} value={sentShare} size="sm" className="mt-6" />
      )}
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          <Trans>Cancel</Trans>
        </Button>
        <Button
          type="submit"
          disabled={ad && !isDirty}
          isBusy={isSubmitting}
          busyLabel={ad ? t`Saving...` : t`Creating...`}
          className="max-sm:grow"
        >
          {ad ? t`Save changes` : t`Create Ad`}
        </Button>
      </FormDialogFooter>
    </form>
  );
}

function useAdForm(ad: Ad | undefined, onSaved: () => void) {
  const { sentShare, start, stop } = useUploadProgress();
  const form = useContractForm({ check: checkAd(ad), defaultValues: toAdForm(ad) });
  const creation = useCreateAd(start, form);
  const update = useUpdateAd(start, form);
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const submit = form.handleSubmit(async (values) => {
    const data = toFormData(values);
    const isSaved = await (ad ? update.run({ id: ad.id, data }) : creation.run(data));
    stop();
    // If this form was closed meanwhile, don't close the one opened since.
    if (isSaved && !isGone.current) onSaved();
  });
  return { sentShare, submit, form };
}

type AdFieldsProps = {
  form: UseFormReturn<AdForm>;
  /** undefined for a new ad. */
  ad: Ad | undefined;
};

const TYPES = [
  { value: 'image', label: t`Image` },
  { value: 'video', label: t`Video` },
];

function AdFields({ form, ad }: AdFieldsProps) {
  const { register, setValue, control, formState } = form;
  const { errors } = formState;
  const { type, file, videoType } = useWatch({ control }) as AdForm;
  const bind = (name: Exclude<keyof AdForm, 'file'>) => bindField(form, name);
  const most = formatSize(type === 'image' ? AD_IMAGE_MAX_BYTES : AD_VIDEO_MAX_BYTES);
  return (
    <div className="grid gap-5 sm:grid-cols-2 [&_input]:scroll-mb-28">
      <Select label={t`Type`} options={TYPES} {...bind('type')} />
      <TextField label={t`Title`} maxLength={TITLE_MAX} autoComplete="off" {...bind('title')} />
      <AdFileField
        className="sm:col-span-2"
        accept={ACCEPTED[type]}
        file={file}
        present={ad?.type === type ? ad.filename : null}
        hint={t`At most ${most}; optional if a link is given.`}
        error={errors.file?.message}
        onChoose={(chosen) =>
          setValue('file', chosen, { shouldDirty: true, shouldValidate: Boolean(errors.file) })
        }
      />
      <TextField
        label={t`Link URL`}
        isOptional
        type="url"
        inputMode="url"
        placeholder="https://"
        autoComplete="off"
        className="sm:col-span-2"
        hint={t`The page that a click opens. Without a file, it is also shown as the ad.`}
        {...bind('url')}
      />
      {type === 'video' ? (
        <Select label={t`Video type`} options={listVideoTypes(videoType)} {...bind('videoType')} />
      ) : (
        <TextField
          label={t`Duration in seconds`}
          type="number"
          inputMode="numeric"
          min={1}
          max={AD_DURATION_MAX}
          {...bind('duration')}
        />
      )}
      <TextField
        label={t`Priority`}
        type="number"
        inputMode="numeric"
        min={1}
        max={10}
        hint={t`1 to 10; higher is shown more often.`}
        {...bind('priority')}
      />
      <TextField label={t`Start`} isOptional type="datetime-local" {...bind('startDate')} />
      <TextField label={t`End`} isOptional type="datetime-local" {...bind('endDate')} />
      <Switch
        label={t`Active`}
        hint={t`Shown between its dates.`}
        className="sm:col-span-2"
        {...register('isActive')}
      />
    </div>
  );
}

function listVideoTypes(present: string) {
  const types = VIDEO_TYPES.includes(present) || !present ? VIDEO_TYPES : [...VIDEO_TYPES, present];
  return [{ value: '', label: t`From the file` }, ...types.map((value) => ({ value, label: value }))];
}

type AdFileFieldProps = {
  accept: string;
  file: File | undefined;
  present: string | null;
  hint: string;
  error: string | undefined;
  onChoose: (file: File | undefined) => void;
  className?: string;
};

function AdFileField({ accept, file, present, onChoose, ...field }: AdFileFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onChoose(target.files?.[0]);
    // Otherwise choosing the same file again would not fire a change event.
    target.value = '';
  };
  return (
    <Field label={t`File`} {...field}>
      {(control) => (
        <div className="flex min-h-control-md flex-wrap items-center gap-3">
          <Button
            {...control}
            variant="secondary"
            size="sm"
            icon={<Paperclip aria-hidden="true" />}
            onClick={() => input.current?.click()}
          >
            {file || present ? t`Replace` : t`Choose file`}
          </Button>
          <span className="min-w-0 text-sm wrap-anywhere text-ink-soft">
            {file ? `${file.name}, ${formatSize(file.size)}` : (present ?? t`No file chosen`)}
          </span>
          {file && (
            <IconButton
              label={t`Remove ${file.name}`}
              icon={<X />}
              size="sm"
              tooltip="none"
              onClick={() => onChoose(undefined)}
            />
          )}
          <input
            ref={input}
            type="file"
            accept={accept}
            hidden
            aria-label={t`Ad file`}
            data-testid="ad-file"
            onChange={choose}
          />
        </div>
      )}
    </Field>
  );
}
