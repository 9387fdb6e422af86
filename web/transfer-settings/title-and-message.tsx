import { t } from '@lingui/core/macro';
import { MESSAGE_MAX, TITLE_MAX } from '../../contracts/plans/limits.ts';
import type { bindField } from '../api/forms/contract-form.ts';
import { TextArea } from '../components/form/text-area.tsx';
import { TextField } from '../components/form/text-field.tsx';

type BoundField = ReturnType<typeof bindField>;
type TitleAndMessageProps = {
  title: BoundField;
  message: BoundField;
  isTitleOptional?: boolean;
  /** The title is focused first in a dialog, selected so that typing replaces it. */
  isFirst?: boolean;
};

export function TitleAndMessage(props: TitleAndMessageProps) {
  const { title, message, isTitleOptional = false, isFirst } = props;
  return (
    <>
      <TextField
        label={t`Title`}
        dir="auto"
        isOptional={isTitleOptional}
        maxLength={TITLE_MAX}
        autoComplete="off"
        data-initial-focus={isFirst || undefined}
        onFocus={({ target }) => isFirst && target.select()}
        {...title}
      />
      <TextArea label={t`Message`} dir="auto" isOptional rows={3} maxLength={MESSAGE_MAX} {...message} />
    </>
  );
}
