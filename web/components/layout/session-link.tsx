import type { ButtonSize, ButtonVariant } from '../actions/button-style.ts';
import { LinkButton } from '../actions/link-button.tsx';

type Destination = { to: string; label: string };
type SessionLinkProps = {
  variant?: ButtonVariant;
  size?: ButtonSize;
  signedOut: Destination;
  signedIn: Destination;
};

/**
 * A link of a prerendered page that changes its target once static-script.ts has found a session. Both variants
 * occupy the same space, so that nothing shifts; the hidden one can't be focused.
 */
export function SessionLink({ signedOut, signedIn, ...look }: SessionLinkProps) {
  return (
    <span className="inline-grid *:[grid-area:1/1]">
      <LinkButton to={signedOut.to} className="signed-in:invisible" {...look}>
        {signedOut.label}
      </LinkButton>
      <LinkButton to={signedIn.to} className="invisible signed-in:visible" {...look}>
        {signedIn.label}
      </LinkButton>
    </span>
  );
}
