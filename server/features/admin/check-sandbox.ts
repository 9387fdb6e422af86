import type { Context } from '../../context.ts';
import { describeSandbox } from '../../platform/images/find-sandbox.ts';
import type { Check } from './check-result.ts';

const FIX =
  'Install bubblewrap (Debian: apt-get install bubblewrap) and start the server again. In a container, also allow user namespaces: see "Sandbox for decoders" in docs/self-hosting.md.';

/** How well a hostile picture, PDF or film is kept from everything else. */
export function checkSandbox({ images }: Pick<Context, 'images'>): Check {
  return {
    name: 'sandbox',
    title: 'Sandbox for decoders',
    look: async () => {
      const search = await images.findSandbox();
      const { strength, sentence, reasons } = describeSandbox(search);
      const found = [`${strength[0]!.toUpperCase()}${strength.slice(1)}: ${sentence}`, reasons].filter(
        Boolean,
      );
      if (!search.sandbox) return { state: 'failed', found: found.join(' '), fix: FIX };
      if (search.sandbox.hasNamespaces) return { state: 'ok', found: found[0]! };
      return {
        state: 'warning',
        found: `${found[0]} Stronger ones do not work here (${reasons}).`,
        fix: FIX,
      };
    },
    fixOf: () => FIX,
  };
}
