import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { FolderUp, Upload } from 'lucide-react';
import type { ReactNode } from 'react';
import { PAGES, SIGN_UP_PATH } from '../../../contracts/values/addresses/pages.ts';
import { buttonClasses } from '../../components/actions/button-style.ts';
import { Ripples } from '../../components/layout/ripples.tsx';

/**
 * Takes files before anybody signs in; drop-script.ts brings it to life and sets `data-state` on it. Its texts for all
 * states are prerendered, because the script has no messages. Without JavaScript it is hidden.
 */
export function DropArea() {
  return (
    <section
      data-drop-area=""
      data-state="idle"
      data-to-upload={PAGES.upload}
      data-to-sign-up={SIGN_UP_PATH}
      aria-label={t`Choose files to send`}
      className="group/drop relative isolate grid min-h-96 content-center justify-items-center overflow-clip rounded-xl border border-dashed border-edge bg-surface px-5 py-10 text-center transition-colors duration-(--quick) data-[state=over]:border-accent-ink data-[state=over]:bg-accent-wash sm:min-h-[26rem] noscript:hidden"
    >
      <div className="relative">
        <Ripples
          motion="arrive"
          count={11}
          className="absolute top-1/2 left-1/2 -z-10 size-[72rem] -translate-x-1/2 -translate-y-1/2"
        />
        <button
          type="button"
          data-choose="files"
          className="grid size-40 place-items-center rounded-full bg-accent text-on-accent transition-[background-color,scale] duration-(--quick) hover:bg-accent-hover active:scale-[0.98] sm:size-44"
        >
          <span className="flex flex-col items-center">
            <Upload aria-hidden="true" strokeWidth={1.5} className="size-9" />
            <span className="mt-2 max-w-36 px-3 font-heading text-xl leading-tight text-balance">
              <Trans>Choose files</Trans>
            </span>
          </span>
        </button>
      </div>
      <div role="status" className="mt-7 grid justify-items-center *:[grid-area:1/1]">
        <State name="idle">
          <Trans>Or drop them anywhere on this page</Trans>
        </State>
        <State name="over">
          <Trans>Drop to send</Trans>
        </State>
        <State name="keeping">
          <Trans>Adding your files…</Trans>
        </State>
        <State name="empty">
          <Trans>There are no files in your selection.</Trans>
        </State>
        <State name="failed">
          <Trans>Your browser couldn’t keep these files. Continue, then choose them again.</Trans>
        </State>
      </div>
      <p className="mt-2 grid text-sm text-ink-soft *:[grid-area:1/1]">
        <span className="signed-in:invisible">
          <Trans>They wait in this browser while you sign up.</Trans>
        </span>
        <span className="invisible signed-in:visible">
          <Trans>Files and folders, dropped or pasted.</Trans>
        </span>
      </p>
      <button
        type="button"
        data-choose="folder"
        className={buttonClasses('secondary', 'md', 'mt-6 bg-surface')}
      >
        <FolderUp aria-hidden="true" />
        <Trans>Choose a folder</Trans>
      </button>
      <input type="file" multiple hidden aria-label={t`Files`} data-input="files" />
      <input
        type="file"
        multiple
        hidden
        {...{ webkitdirectory: '' }}
        aria-label={t`Folder`}
        data-input="folder"
      />
    </section>
  );
}

const SHOWN = {
  idle: 'group-data-[state=idle]/drop:block pointer-coarse:hidden',
  over: 'group-data-[state=over]/drop:block',
  keeping: 'group-data-[state=keeping]/drop:block',
  empty: 'group-data-[state=empty]/drop:block',
  failed: 'group-data-[state=failed]/drop:block',
} as const;

function State({ name, children }: { name: keyof typeof SHOWN; children: ReactNode }) {
  return <p className={`hidden max-w-md text-xl text-balance ${SHOWN[name]}`}>{children}</p>;
}
