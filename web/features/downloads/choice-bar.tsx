import { ArrowDown, X } from 'lucide-react';
import { Button } from '../../components/actions/button.tsx';
import { IconButton } from '../../components/actions/icon-button.tsx';
import { BottomBar } from './bottom-bar.tsx';
import type { ChoiceAction } from './choice-action.ts';

type ChoiceBarProps = { action: ChoiceAction; onClear: () => void };

/** As soon as files are chosen: how many, and the way to download just them. */
export function ChoiceBar({ action, onClear }: ChoiceBarProps) {
  const { label, detail, isPreparing, onStart } = action;
  return (
    <BottomBar>
      <IconButton label="Clear selection" icon={<X />} tooltip="none" className="-ml-2" onClick={onClear} />
      <p className="tabular hidden grow text-ink-soft sm:block">{detail}</p>
      <Button
        className="max-sm:shrink max-sm:grow max-sm:px-4 max-sm:leading-tight max-sm:whitespace-normal max-[379px]:text-sm"
        icon={<ArrowDown aria-hidden="true" />}
        isBusy={isPreparing}
        busyLabel="Preparing Download..."
        onClick={onStart}
      >
        {label}
      </Button>
    </BottomBar>
  );
}
