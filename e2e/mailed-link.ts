import { expect } from '@playwright/test';
import type { JourneyServer } from './journey-server.ts';

/** The download link in the newest mail to this address; without a mail server, mails stay in the outbox. */
export async function findMailedLink(server: JourneyServer, email: string): Promise<string> {
  const read = () =>
    server.withDatabase((database) => {
      const row = database
        .prepare('SELECT text FROM mails WHERE recipient = ? ORDER BY "createdAt" DESC LIMIT 1')
        .get(email);
      return /https?:\/\/\S+\/download\/\S+/.exec(String(row?.text))?.[0];
    });
  await expect.poll(read).toBeDefined();
  return read()!;
}
