import { Paperclip, X } from 'lucide-react';
import { type ChangeEvent, useRef } from 'react';
import { formatSize } from '../../../contracts/values/sizes.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { IconButton } from '../../components/icon-button.tsx';

type AdFileFieldProps = {
  accept: string;
  file: File | undefined;
  /** The name of the file that the ad has already. */
  present: string | null;
  hint: string;
  error: string | undefined;
  onChoose: (file: File | undefined) => void;
  className?: string;
};

/** The picture or film of an ad. */
export function AdFileField({ accept, file, present, onChoose, ...field }: AdFileFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    onChoose(target.files?.[0]);
    // Otherwise choosing the same file again would be no change.
    target.value = '';
  };
  return (
    <Field label="File" {...field}>
      {(control) => (
        <div className="flex min-h-control-md flex-wrap items-center gap-3">
          <Button
            {...control}
            variant="secondary"
            size="sm"
            icon={<Paperclip aria-hidden="true" />}
            onClick={() => input.current?.click()}
          >
            {file || present ? 'Replace' : 'Choose file'}
          </Button>
          <span className="min-w-0 text-sm wrap-anywhere text-ink-soft">
            {file ? `${file.name}, ${formatSize(file.size)}` : (present ?? 'No file chosen')}
          </span>
          {file && (
            <IconButton
              label={`Remove ${file.name}`}
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
            aria-label="Ad file"
            data-testid="ad-file"
            onChange={choose}
          />
        </div>
      )}
    </Field>
  );
}
