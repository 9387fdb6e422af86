import { afterEach, expect, test, vi } from 'vitest';
import { describePasskeyObstacle } from './passkeys.ts';

afterEach(() => vi.unstubAllGlobals());

test('passkeys need https, a browser that knows them, and a host name', () => {
  const describeAt = (hostname: string, page: object) => {
    vi.stubGlobal('window', page);
    vi.stubGlobal('location', { hostname });
    return describePasskeyObstacle();
  };
  const good = { isSecureContext: true, PublicKeyCredential: () => undefined };
  expect(describeAt('files.example.org', { ...good, isSecureContext: false })).toMatch(/need HTTPS/);
  expect(describeAt('files.example.org', { isSecureContext: true })).toMatch(/does not support/);
  for (const address of ['192.0.2.7', '[2001:db8::7]'])
    expect(describeAt(address, good)).toMatch(/is an IP address/);
  for (const name of ['files.example.org', '1.example.org', 'localhost'])
    expect(describeAt(name, good)).toBeUndefined();
});
