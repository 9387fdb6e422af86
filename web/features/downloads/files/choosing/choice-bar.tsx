import { t } from '@lingui/core/macro';
import { ArrowDown, X } from 'lucide-react';
import { Button } from '../../../../components/actions/button.tsx';
import { IconButton } from '../../../../components/actions/icon-button.tsx';
import { BottomBar } from '../../bottom-bar.tsx';
import type { ShareAddress } from '../../share-address.ts';
import { type Choosing, choiceAction } from './choice-action.ts';
import type { FileChoice } from './use-file-choice.ts';

type ChoiceBarProps = Choosing & { share: ShareAddress; choice: FileChoice };

/** Number of selected files, and a button to download them. */
export function ChoiceBar({ share, ...choosing }: ChoiceBarProps) {
  const action = choiceAction(share, choosing);
  if (!action) return null;
  const { label, detail, isPreparing, onStart } = action;
  return (
    <BottomBar>
      <IconButton
        label={t`Clear selection`}
        icon={<X />}
        tooltip="none"
        className="-ml-2"
        onClick={choosing.choice.clear}
      />
      <p className="tabular hidden grow text-ink-soft sm:block">{detail}</p>
      <Button
        className="max-sm:shrink max-sm:grow max-sm:px-4 max-sm:leading-tight max-sm:whitespace-normal max-[379px]:text-sm"
        icon={<ArrowDown aria-hidden="true" />}
        isBusy={isPreparing}
        busyLabel={t`Preparing Download...`}
        onClick={onStart}
      >
        {label}
      </Button>
    </BottomBar>
  );
}
