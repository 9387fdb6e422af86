import { useEffect, useRef } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { Ad } from '../../../contracts/plans/ads.ts';
import { findFieldErrors, showFieldErrors } from '../../api/field-errors.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog, FormDialogFooter, type FormDialogParts } from '../../components/form-dialog.tsx';
import { ProgressBar } from '../../components/progress-bar.tsx';
import { AdFields } from './ad-fields.tsx';
import { AD_FIELDS, type AdForm, resolveAd, toAdForm, toFormData } from './ad-form.ts';
import { useCreateAd, useSending, useUpdateAd } from './ad-queries.ts';
import { useLast } from './use-last.ts';

/** Without an ad: a new one. */
export type OpenAdForm = { ad?: Ad };

/** Creates an ad or changes one. */
export function AdDialog({ form, onClose }: { form: OpenAdForm | null; onClose: () => void }) {
  // Closing, it still says what it was.
  const ad = useLast(form ?? undefined)?.ad;
  return (
    <FormDialog title={ad ? 'Edit ad' : 'Create ad'} isOpen={form !== null} onClose={onClose}>
      {(parts) => <AdFormView ad={ad} {...parts} />}
    </FormDialog>
  );
}

/** Lives as long as the dialog is open. */
function AdFormView({ ad, onChanged, onCancel, onSaved }: FormDialogParts & { ad: Ad | undefined }) {
  const { sentShare, submit, form } = useAdForm(ad, onSaved);
  const { isDirty, isSubmitting } = form.formState;
  const { file } = useWatch({ control: form.control }) as AdForm;
  useEffect(() => onChanged(isDirty), [isDirty, onChanged]);
  return (
    <form noValidate aria-label={ad ? 'Edit ad' : 'Create ad'} onSubmit={submit}>
      <AdFields form={form} ad={ad} />
      {file && sentShare !== null && (
        <ProgressBar label={`Uploading ${file.name}`} value={sentShare} size="sm" className="mt-6" />
      )}
      <FormDialogFooter>
        <Button variant="secondary" onClick={onCancel}>
          Cancel
        </Button>
        <Button
          type="submit"
          disabled={ad && !isDirty}
          isBusy={isSubmitting}
          busyLabel={ad ? 'Saving...' : 'Creating...'}
          className="max-sm:grow"
        >
          {ad ? 'Save changes' : 'Create Ad'}
        </Button>
      </FormDialogFooter>
    </form>
  );
}

function useAdForm(ad: Ad | undefined, onSaved: () => void) {
  const { sentShare, start, stop } = useSending();
  const creation = useCreateAd(start);
  const update = useUpdateAd(start);
  const form = useForm<AdForm>({ resolver: resolveAd(ad), defaultValues: toAdForm(ad) });
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  const submit = form.handleSubmit(async (values) => {
    try {
      const body = toFormData(values);
      await (ad ? update.mutateAsync({ id: ad.id, form: body }) : creation.mutateAsync(body));
      // Closed meanwhile, it must not close the next one.
      if (!isGone.current) onSaved();
    } catch (error) {
      // The toast has told it; what belongs to a field also stands there.
      showFieldErrors(form.setError, findFieldErrors(error, AD_FIELDS));
    } finally {
      stop();
    }
  });
  return { sentShare, submit, form };
}
