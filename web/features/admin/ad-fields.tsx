import { type UseFormReturn, useWatch } from 'react-hook-form';
import {
  AD_DURATION_MAX,
  AD_IMAGE_MAX_BYTES,
  AD_VIDEO_MAX_BYTES,
  type Ad,
} from '../../../contracts/plans/ads.ts';
import { TITLE_MAX } from '../../../contracts/plans/limits.ts';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Select } from '../../components/select.tsx';
import { Switch } from '../../components/switch.tsx';
import { TextField } from '../../components/text-field.tsx';
import { AdFileField } from './ad-file-field.tsx';
import { ACCEPTED, type AdForm, VIDEO_TYPES } from './ad-form.ts';

type AdFieldsProps = {
  form: UseFormReturn<AdForm>;
  /** undefined: a new one. */
  ad: Ad | undefined;
};

const TYPES = [
  { value: 'image', label: 'Image' },
  { value: 'video', label: 'Video' },
];

export function AdFields({ form, ad }: AdFieldsProps) {
  const { register, setValue, control, formState } = form;
  const { errors } = formState;
  const { type, file, videoType } = useWatch({ control }) as AdForm;
  const bind = (name: Exclude<keyof AdForm, 'file'>) => ({
    ...register(name),
    error: errors[name]?.message,
  });
  const most = formatSize(type === 'image' ? AD_IMAGE_MAX_BYTES : AD_VIDEO_MAX_BYTES);
  return (
    <div className="grid gap-5 sm:grid-cols-2 [&_input]:scroll-mb-28">
      <Select label="Type" options={TYPES} {...bind('type')} />
      <TextField label="Title" maxLength={TITLE_MAX} autoComplete="off" {...bind('title')} />
      <AdFileField
        className="sm:col-span-2"
        accept={ACCEPTED[type]}
        file={file}
        present={ad?.type === type ? ad.filename : null}
        hint={`At most ${most}; optional if a link is given.`}
        error={errors.file?.message}
        onChoose={(chosen) =>
          setValue('file', chosen, { shouldDirty: true, shouldValidate: Boolean(errors.file) })
        }
      />
      <TextField
        label="Link URL"
        isOptional
        type="url"
        inputMode="url"
        placeholder="https://"
        autoComplete="off"
        className="sm:col-span-2"
        hint="Where a click leads; without a file it is also what is shown."
        {...bind('url')}
      />
      {type === 'video' ? (
        <Select label="Video type" options={listVideoTypes(videoType)} {...bind('videoType')} />
      ) : (
        <TextField
          label="Duration in seconds"
          type="number"
          inputMode="numeric"
          min={1}
          max={AD_DURATION_MAX}
          {...bind('duration')}
        />
      )}
      <TextField
        label="Priority"
        type="number"
        inputMode="numeric"
        min={1}
        max={10}
        hint="1 to 10; higher is shown more often."
        {...bind('priority')}
      />
      <TextField label="Start" isOptional type="datetime-local" {...bind('startDate')} />
      <TextField label="End" isOptional type="datetime-local" {...bind('endDate')} />
      <Switch
        label="Active"
        hint="Shown between its dates."
        className="sm:col-span-2"
        {...register('isActive')}
      />
    </div>
  );
}

function listVideoTypes(present: string) {
  const types = VIDEO_TYPES.includes(present) || !present ? VIDEO_TYPES : [...VIDEO_TYPES, present];
  return [{ value: '', label: 'As the file says' }, ...types.map((value) => ({ value, label: value }))];
}
