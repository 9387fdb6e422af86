import { act, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { FormDialog, type FormDialogParts } from './form-dialog.tsx';

test('a change counts before it is rendered, so closing at once asks first', async () => {
  const onClose = vi.fn();
  const { parts } = renderDialog(onClose);
  act(() => {
    parts.onChanged(true);
    parts.onCancel();
  });
  await screen.findByRole('alertdialog', { name: 'Discard your changes?' });
  expect(onClose).not.toHaveBeenCalled();
});

test('without changes, or after they were taken back, it closes', () => {
  const onClose = vi.fn();
  const { parts } = renderDialog(onClose);
  act(() => {
    parts.onChanged(true);
    parts.onChanged(false);
    parts.onCancel();
  });
  expect(onClose).toHaveBeenCalledOnce();
});

/** `parts` are those of the first rendering, as in an event handler that runs before the next one. */
function renderDialog(onClose: () => void) {
  const seen: FormDialogParts[] = [];
  render(
    <FormDialog title="Create API key" isOpen onClose={onClose}>
      {(parts) => {
        seen.push(parts);
        return <input aria-label="Name" />;
      }}
    </FormDialog>,
  );
  return { parts: seen[0]! };
}
