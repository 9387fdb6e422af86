import { t } from '@lingui/core/macro';
import {
  askToReopen as askToReopenCall,
  REOPEN_NOTE_MAX,
  REPORT_DETAILS_MAX,
  REPORT_REASONS,
  reportTransfer,
} from '../../../contracts/transfers/downloads/downloads.ts';
import { call } from '../loading/calls.ts';
import { button, errorText, select, setBusy, textArea, textField, tick } from '../ui/controls.ts';
import { openDialog } from '../ui/dialog.ts';
import { h, newId, replace } from '../ui/dom.ts';
import { errorSentence } from './view-texts.ts';

/** A button that asks the sender by mail. */
export function askToReopen(token: string): HTMLElement {
  const place = h('div', { class: 'mt-8' });
  const open = () => {
    const note = textArea({
      label: t`Note`,
      hint: t`Say who you are: the sender doesn't see who asked.`,
      isOptional: true,
      maxLength: REOPEN_NOTE_MAX,
    });
    const refusal = h('div');
    openDialog({
      title: t`Ask the sender to reopen`,
      description: t`We email the sender that someone still needs these files.`,
      submitLabel: t`Send Request`,
      content: [note.element, refusal],
      onSubmit: async (submit) => {
        await showingRefusal(refusal, setBusy(submit, t`Sending...`), () =>
          call(askToReopenCall, { params: { token }, body: { note: note.control.value } }),
        );
        const text = t`Request sent. If the sender reopens the transfer, this link works again.`;
        replace(place, h('p', { role: 'status', class: 'max-w-[34rem] text-ink-soft' }, text));
      },
    });
  };
  place.append(
    button(t`Ask the sender to reopen`, { variant: 'secondary', icon: 'BellRing', onClick: open }),
  );
  return place;
}

/** `link`: with its key, which goes to the administrators only if the reporter ticks the box. */
export function reportLink(token: string, link: () => string): HTMLElement {
  const onSent = () =>
    replace(
      place,
      h(
        'span',
        { role: 'status', class: 'inline-block py-0.5' },
        t`Thank you. We will look at this transfer.`,
      ),
    );
  const place = h(
    'span',
    {},
    h(
      'button',
      { type: 'button', class: 'link py-0.5', on: { click: () => openReport(token, link(), onSent) } },
      t`Report abuse`,
    ),
  );
  return place;
}

function openReport(token: string, link: string, onSent: () => void): void {
  const names: Record<(typeof REPORT_REASONS)[number], string> = {
    malware: t`It contains malware`,
    phishing: t`It pretends to be someone else (phishing)`,
    copyright: t`It violates my copyright`,
    illegal: t`It is illegal`,
    other: t`Something else`,
  };
  const reason = select({
    label: t`Reason`,
    choices: [
      ['', t`Choose a reason`],
      ...REPORT_REASONS.map((each): [string, string] => [each, names[each]]),
    ],
  });
  const details = textArea({
    label: t`Details`,
    isOptional: true,
    maxLength: REPORT_DETAILS_MAX - link.length - 1,
  });
  const email = textField({
    label: t`Your email address`,
    hint: t`In case we have a question.`,
    isOptional: true,
    type: 'email',
    autocomplete: 'email',
  });
  const labelId = newId('share-key');
  const shareKey = tick({ labelledBy: labelId }, () => undefined);
  const refusal = h('div');
  openDialog({
    title: t`Report this transfer`,
    description: t`Tell us what is wrong with it. The sender does not learn who reported it.`,
    submitLabel: t`Send Report`,
    content: [
      reason.element,
      details.element,
      email.element,
      h(
        'div',
        { class: '-ml-2 flex items-start gap-1' },
        shareKey.element,
        h(
          'label',
          { id: labelId, class: 'py-2 text-sm text-ink-soft' },
          t`Send the key, too, so that the administrators can open the files. Without it, they cannot see what you report.`,
        ),
      ),
      refusal,
    ],
    onSubmit: async (submit) => {
      reason.setError(reason.control.value ? null : t`Please choose a reason`);
      if (!reason.control.value) {
        reason.control.focus();
        throw new Error('incomplete');
      }
      const key = shareKey.input.checked ? link : '';
      await showingRefusal(refusal, setBusy(submit, t`Sending...`), () =>
        call(reportTransfer, {
          params: { token },
          body: {
            reason: reason.control.value as (typeof REPORT_REASONS)[number],
            details: [details.control.value.trim(), key].filter(Boolean).join('\n'),
            email: email.control.value.trim(),
          },
        }),
      );
      onSent();
    },
  });
}

/** Shows why `act` failed, and throws its error. */
export async function showingRefusal(
  place: HTMLElement,
  done: () => void,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    replace(place, errorText(errorSentence(error)));
    throw error;
  } finally {
    done();
  }
}
