import { TOTP } from 'otpauth';
import { beginTotp, confirmTotp } from '../../contracts/accounts/sign-in/factors.ts';
import { SECOND_MS } from '../../contracts/values/durations.ts';
import type { TestServer } from '../test-context.ts';
import type { Client } from './client.ts';

/** An authenticator app with one secret. */
export type AuthenticatorApp = {
  /** The code at the server's time, moved by `seconds`. */
  codeAt: (seconds?: number) => string;
  recoveryCodes: string[];
};

/** Adds an authenticator app to the client's account, then lets a time step pass. */
export async function addAuthenticatorApp(server: TestServer, client: Client): Promise<AuthenticatorApp> {
  const { secret } = await client.call(beginTotp);
  const totp = new TOTP({ secret });
  const codeAt = (seconds = 0) => totp.generate({ timestamp: server.clock.now() + seconds * SECOND_MS });
  const { recoveryCodes = [] } = await client.call(confirmTotp, { body: { code: codeAt() } });
  server.clock.advance(30 * SECOND_MS);
  return { codeAt, recoveryCodes };
}
