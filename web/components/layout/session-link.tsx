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
 * A link of a prerendered page that leads elsewhere once static-script.ts has found a session. Both lie in
 * the same place, as wide as the wider one, so that nothing jumps; the invisible one takes no focus.
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
