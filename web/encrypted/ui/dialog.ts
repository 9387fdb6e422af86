import { t } from '@lingui/core/macro';
import { button } from './controls.ts';
import { type Child, h, newId } from './dom.ts';

type DialogOptions = {
  title: string;
  description: string;
  submitLabel: string;
  content: Child[];
  /** Resolves to close the dialog; a rejection keeps it open. */
  onSubmit: (submit: HTMLButtonElement) => Promise<void>;
};

/** A form in a modal dialog of the browser, which keeps the focus and returns it. */
export function openDialog({ title, description, submitLabel, content, onSubmit }: DialogOptions): void {
  const titleId = newId('dialog');
  const submit = button(submitLabel);
  const close = () => dialog.close();
  const form = h(
    'form',
    {
      novalidate: true,
      on: {
        submit: (event) => {
          event.preventDefault();
          if (submit.getAttribute('aria-busy') !== 'true') onSubmit(submit).then(close, () => undefined);
        },
      },
    },
    h('h2', { id: titleId, class: 'text-2xl' }, title),
    h('p', { class: 'mt-2 text-ink-soft' }, description),
    h('div', { class: 'mt-6 flex flex-col gap-5' }, ...content),
    h(
      'div',
      { class: 'mt-8 flex flex-wrap justify-end gap-3' },
      button(t`Cancel`, { variant: 'secondary', onClick: close }),
      submit,
    ),
  );
  const dialog = h(
    'dialog',
    {
      'aria-labelledby': titleId,
      class:
        'm-auto w-full max-w-[32rem] rounded-xl border border-line-firm bg-raised p-6 text-ink shadow-high backdrop:bg-veil max-sm:mb-0 max-sm:max-w-full max-sm:rounded-b-none open:animate-pop-in sm:p-8',
      on: { close: () => dialog.remove() },
    },
    form,
  );
  document.body.append(dialog);
  dialog.showModal();
}
