import { t } from '@lingui/core/macro';
import type { Bytes } from '../../../encryption/bytes.ts';
import { parseKey } from '../../../encryption/link.ts';
import { button, setBusy, textField } from '../ui/controls.ts';
import { h } from '../ui/dom.ts';
import { headline, stage, stillDisc, well } from '../ui/layout.ts';
import type { View } from './closed-views.ts';

type KeyViewOptions = {
  /** The link had a key, which is not this transfer's. */
  isWrong: boolean;
  onKey: (linkSecret: Bytes) => void;
};

/** For a link without its key, which mail programs and chats sometimes cut off. */
export function keyView({ isWrong, onKey }: KeyViewOptions): View {
  const field = textField({
    label: t`Key or whole link`,
    hint: t`The key is the part of the link after “#”. Only the sender has it; Sendwell does not know it.`,
  });
  if (isWrong)
    field.setError(t`This key does not belong to this transfer. Check that you copied the whole link.`);
  const submit = (event: Event) => {
    event.preventDefault();
    const linkSecret = parseKey(field.control.value);
    if (linkSecret) return onKey(linkSecret);
    field.setError(t`This is no key. Copy the whole link from the sender's message, and paste it here.`);
    field.control.focus();
  };
  const title = t`Key Required`;
  const element = stage({
    head: [
      headline(title),
      h(
        'p',
        { class: 'mt-5 max-w-[30rem] text-lg text-ink-soft' },
        t`These files are encrypted, and the link you opened does not contain their key.`,
      ),
      h(
        'form',
        { novalidate: true, class: 'mt-8 flex max-w-[30rem] flex-col gap-5', on: { submit } },
        field.element,
        button(t`Open Transfer`, { size: 'lg', class: 'self-start max-sm:w-full' }),
      ),
    ],
    well: well(stillDisc('KeyRound')),
  });
  return { title, element };
}

/** `onPassword` rejects with nothing, after showing why, or resolves to the sentence to show. */
export function passwordView(onPassword: (password: string) => Promise<string | undefined>): View {
  const field = textField({ label: t`Password`, type: 'password', autocomplete: 'off' });
  const submit = button(t`Unlock Transfer`, { size: 'lg', class: 'self-start max-sm:w-full' });
  const unlock = async (event: Event) => {
    event.preventDefault();
    if (submit.getAttribute('aria-busy') === 'true') return;
    if (field.control.value === '') return field.control.focus();
    const done = setBusy(submit, t`Verifying...`);
    const mistake = await onPassword(field.control.value);
    done();
    if (mistake === undefined) return;
    field.setError(mistake);
    field.control.focus();
    (field.control as HTMLInputElement).select();
  };
  const title = t`Password Required`;
  const element = stage({
    head: [
      headline(title),
      h(
        'p',
        { class: 'mt-5 max-w-[30rem] text-lg text-ink-soft' },
        t`The sender protected these files. Enter the password to see them.`,
      ),
      h(
        'form',
        { novalidate: true, class: 'mt-8 flex max-w-[26rem] flex-col gap-5', on: { submit: unlock } },
        field.element,
        submit,
      ),
    ],
    well: well(stillDisc('LockKeyhole')),
  });
  if (window.matchMedia('(hover: hover)').matches) queueMicrotask(() => field.control.focus());
  return { title, element };
}
