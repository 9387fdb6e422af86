import type { Config } from '../../../../config.ts';
import { AppError } from '../../../../platform/lib/app-error.ts';

/** Passkeys belong to the host of PUBLIC_URL: with another host, all of them stop working. */
export function relyingParty({ publicUrl }: Pick<Config, 'publicUrl'>): { rpId: string; origin: string } {
  const { hostname, origin } = new URL(publicUrl);
  return { rpId: hostname, origin };
}

export function wrongPasskey(cause?: unknown): AppError {
  const message = 'This passkey was not accepted. Try again, or use another way.';
  return new AppError('wrong_factor', { message, cause });
}
