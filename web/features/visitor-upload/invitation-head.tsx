import { useState } from 'react';
import type { InvitationDetails } from '../../../contracts/transfers/invitations.ts';
import { Headline } from '../../components/headline.tsx';
import { classNames } from '../../lib/class-names.ts';

/** About what four lines beside the well hold. */
const SHORT_MESSAGE = 280;

type InvitationHeadProps = {
  details: Pick<InvitationDetails, 'title' | 'senderName' | 'message'>;
  /** The files need the room. */
  isCompact?: boolean;
};

/** Who asks for files, what for, and with what words. */
export function InvitationHead({ details: { title, senderName, message }, isCompact }: InvitationHeadProps) {
  return (
    <>
      <p className="mb-4 text-lg wrap-anywhere text-ink-soft">
        <strong className="font-semibold text-ink">{senderName}</strong> is requesting files from you
      </p>
      {isCompact ? (
        <h1 className={classNames('max-w-[24em] wrap-anywhere', compactSize(title))}>{title}</h1>
      ) : (
        <Headline title={title} />
      )}
      {message && <Message text={message} />}
    </>
  );
}

/** Long ones speak lower, so that the step stays in view. */
function compactSize(title: string): string {
  if (title.length <= 32) return 'text-4xl';
  return title.length <= 80 ? 'text-3xl' : 'text-2xl';
}

function Message({ text }: { text: string }) {
  const [isWhole, setWhole] = useState(text.length <= SHORT_MESSAGE);
  return (
    <div className="mt-6 max-w-[38rem]">
      <blockquote
        className={classNames(
          'border-l-2 border-accent-ink pl-4 wrap-anywhere whitespace-pre-line',
          !isWhole && 'line-clamp-4',
        )}
      >
        {text}
      </blockquote>
      {!isWhole && (
        <button type="button" className="link mt-2 min-h-8 text-sm" onClick={() => setWhole(true)}>
          Show the whole message
        </button>
      )}
    </div>
  );
}
