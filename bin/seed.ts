/**
 * `npm run seed`: people and five weeks of sample transfers, downloads and views, for development. It goes through
 * the calls that pages make, with a clock that starts in the past. Mails and previews stay in the queue for the
 * server, which may be running.
 */
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { createApiKey } from '../contracts/accounts/api-keys.ts';
import { createWebhook, updateWebhook } from '../contracts/accounts/webhooks.ts';
import { createCoupon } from '../contracts/admin/plans.ts';
import { planChunks } from '../contracts/plans/limits.ts';
import {
  completeUploads,
  initUploads,
  type TransferSettingsInput,
} from '../contracts/transfers/uploads/uploads.ts';
import { DAY_MS, MINUTE_MS } from '../contracts/values/durations.ts';
import { createApp } from '../server/app.ts';
import { ConfigError, readConfig } from '../server/config.ts';
import type { AppContext } from '../server/context.ts';
import { createContext } from '../server/create-context.ts';
import { loadEnvFile, readSecretFiles } from '../server/environment/env-file.ts';
import { hashPassword } from '../server/features/accounts/passwords/passwords.ts';
import { sessionCookieName } from '../server/features/accounts/sign-in/sessions/cookies.ts';
import { insertSession } from '../server/features/accounts/sign-in/sessions/session-queries.ts';
import { newUser } from '../server/features/accounts/users/users.ts';
import { PRIVATE_UMASK } from '../server/platform/lib/data-dir/private-files.ts';
import { hashToken, randomId } from '../server/platform/lib/tokens.ts';
import { putAd } from '../testing/calls/ads.ts';
import { Client } from '../testing/calls/client.ts';
import { CAST, type CastName, PASSWORD } from '../testing/cast.ts';
import { ManualClock } from '../testing/lib/manual-clock.ts';
import { describeFile } from '../testing/uploads/upload-files.ts';
import { startInvitation, visitInvitation } from '../testing/visitors/visit.ts';
import type { PathBytes } from '../testing/visitors/visitor-uploads.ts';
import { makePhoto, makeText } from './seed/files.ts';
import { SAMPLE_TRANSFERS, type SampleTransfer } from './seed/transfers.ts';
import { GuestClient, pickGuest } from './seed/visitors.ts';

/** The sample data begins this many days ago. */
const FIRST_DAY = 35;

process.umask(PRIVATE_UMASK);
const { values: options } = parseArgs({ options: { force: { type: 'boolean', default: false } } });

type Scene = { daysAgo: number; run: () => Promise<void> };
type People = Record<CastName, Client>;
type Stage = { context: AppContext; clock: ManualClock; url: string; people: People };

try {
  await seed();
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}

async function seed(): Promise<void> {
  loadEnvFile(process.env);
  const environment = readSecretFiles(process.env);
  const { publicUrl } = readConfig(environment);
  // Trusts X-Forwarded-For, so that visitors can have addresses in many countries.
  const config = readConfig({
    ...environment,
    TRUST_PROXY: '1',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'error',
    WEBHOOK_ALLOW_PRIVATE: 'on',
  });
  const now = Date.now();
  const clock = new ManualClock(now - FIRST_DAY * DAY_MS);
  const context = await createContext(config, { clock });
  try {
    if (!options.force) await requireEmptyDatabase(context);
    await insertCast(context);
    const app = await createApp(context);
    await app.listen({ host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
    const stage = { context, clock, url, people: await signInCast(context, url) };
    const scenes = [...SAMPLE_TRANSFERS.flatMap((sample, index) => planTransfer(stage, sample, index))];
    scenes.push({ daysAgo: 30, run: () => setUpAccounts(stage) });
    scenes.push({ daysAgo: 10, run: () => receiveFiles(stage) });
    for (const { daysAgo, run } of scenes.toSorted((a, b) => b.daysAgo - a.daysAgo)) {
      clock.advance(Math.max(0, Math.round(now - daysAgo * DAY_MS) - clock.now()));
      await run();
    }
    await app.close();
  } finally {
    await context.close();
  }
  printPeople(publicUrl);
}

async function requireEmptyDatabase({ db }: AppContext): Promise<void> {
  const user = await db.selectFrom('users').select('id').limit(1).executeTakeFirst();
  if (user)
    throw new ConfigError(
      'The database is not empty. To add the sample data anyway: npm run seed -- --force',
    );
}

async function insertCast({ db, clock }: AppContext): Promise<void> {
  const passwordHash = await hashPassword(PASSWORD);
  const names = Object.keys(CAST);
  const taken = await db.selectFrom('users').select('username').where('usernameKey', 'in', names).execute();
  if (taken.length > 0) {
    const list = taken.map(({ username }) => username).join(', ');
    throw new ConfigError(
      `These usernames are taken: ${list}. Use an empty database, for example another DATA_DIR.`,
    );
  }
  const rows = Object.values(CAST).map(({ tier, isAdmin, ...person }) =>
    newUser({ ...person, passwordHash }, { emailVerified: 1, isAdmin: isAdmin ? 1 : 0, tier }, clock.now()),
  );
  await db.insertInto('users').values(rows).execute();
}

async function signInCast({ db, clock, config }: AppContext, url: string): Promise<People> {
  const people = {} as People;
  for (const name of Object.keys(CAST) as CastName[]) {
    const { id: userId } = await db
      .selectFrom('users')
      .select('id')
      .where('usernameKey', '=', name)
      .executeTakeFirstOrThrow();
    const token = randomId();
    const at = clock.now();
    // The sample weeks are longer than a session may last, so the session starts at their end.
    const endsAt = at + FIRST_DAY * DAY_MS;
    const place = { ipAddress: '127.0.0.1', userAgent: 'npm run seed' };
    const times = { createdAt: endsAt, lastSeenAt: at, expiresAt: endsAt + DAY_MS };
    await insertSession(db, { id: randomId(), userId, tokenHash: hashToken(token), ...place, ...times });
    people[name] = new Client(url);
    people[name].jar.add({ name: sessionCookieName(config), value: token, path: '/' });
  }
  return people;
}

/** Plans the transfer and its views and downloads, which become fewer over time. */
function planTransfer(stage: Stage, sample: SampleTransfer, index: number): Scene[] {
  const { daysAgo, settings, opensInDays, views = 0, downloads = 0 } = sample;
  const sent = { token: '', fileIds: [] as string[] };
  const lifeDays = Math.min(daysAgo, settings.expirationDays) * 0.95;
  const send = async () => {
    const files = await sample.files();
    const opensAt = opensInDays && new Date(Date.now() + opensInDays * DAY_MS).toISOString();
    const wishes = { ...settings, ...(opensAt && { scheduledAvailableAt: opensAt }) };
    Object.assign(sent, await sendFiles(stage.people[sample.owner], files, wishes));
  };
  const visits = Array.from({ length: views }, (_, visit): Scene => {
    const share = (visit + 1) / (views + 1);
    const guest = new GuestClient(stage.url, pickGuest(index * 61 + visit));
    return {
      daysAgo: daysAgo - lifeDays * share * share,
      run: async () => {
        await guest.view(sent.token, settings.password);
        if (visit >= downloads) return;
        const isZip = sent.fileIds.length > 1 && visit % 3 !== 2;
        await guest.download(sent.token, isZip ? undefined : sent.fileIds[visit % sent.fileIds.length]);
      },
    };
  });
  return [{ daysAgo, run: send }, ...visits];
}

/** Announces, sends and completes a transfer as a page does. For a visitor, `wishes` contains the invitation token. */
async function sendFiles(
  client: Client,
  files: PathBytes[],
  wishes: TransferSettingsInput & { invitationToken?: string },
): Promise<{ token: string; fileIds: string[] }> {
  const { invitationToken } = wishes;
  const announced = files.map(({ path, bytes }) => ({
    ...describeFile(path.split('/').at(-1)!, bytes),
    relativePath: path,
  }));
  const { transferId, uploads } = await client.call(initUploads, {
    body: { invitationToken, files: announced },
  });
  const uploadIds = uploads.map(({ uploadId }) => uploadId);
  const query = invitationToken ? `?${new URLSearchParams({ invitationToken })}` : '';
  for (const [position, uploadId] of uploadIds.entries()) {
    const { bytes } = files[position]!;
    const { chunkSize, totalChunks } = planChunks(bytes.length);
    for (let index = 0; index < totalChunks; index += 1) {
      const response = await client.fetch(`/api/upload/chunk/${uploadId}/${index}${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body: new Uint8Array(bytes.subarray(index * chunkSize, (index + 1) * chunkSize)),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`The chunk was refused with ${response.status}.`);
    }
  }
  const body = { transferId, uploadIds, fileCount: files.length, ...wishes };
  const { token } = await client.call(completeUploads, { body });
  return { token, fileIds: uploadIds };
}

/** Ads, coupons, API keys and a webhook. */
async function setUpAccounts({ people: { ada, paula, prem }, context: { clock } }: Stage): Promise<void> {
  const coupons = [
    { code: 'WELCOME', discountPercent: 20, tier: 'pro' },
    { code: 'STUDIO50', discountPercent: 50, tier: 'premium', maxUses: 10 },
    {
      code: 'TRYPRO',
      freeMonths: 1,
      tier: 'pro',
      expiresAt: new Date(clock.now() + 90 * DAY_MS).toISOString(),
    },
  ];
  for (const body of coupons) await ada.call(createCoupon, { body });
  for (const [index, title] of ['Harbor Bakery: fresh since 1974', 'Learn to sail this summer'].entries()) {
    const { bytes } = await makePhoto('ad.jpg', 200 + index);
    const fields = { type: 'image', title, url: 'https://example.org/', duration: 8, priority: 5 - index };
    await putAd(ada, fields, { file: { bytes, fileName: 'ad.jpg' } });
  }
  await paula.call(createApiKey, { body: { name: 'Backup script' } });
  await prem.call(createApiKey, { body: { name: 'Build server' } });
  await prem.call(createApiKey, { body: { name: 'Reports', scopes: ['read'] } });
  const body = { url: 'http://127.0.0.1:8080/hooks/sendwell', events: ['transfer.ready'] };
  const { id } = await prem.call(createWebhook, { body });
  // Inactive, so that nothing leaves the machine.
  await prem.call(updateWebhook, { params: { id }, body: { isActive: false } });
}

/** One invitation has been used, the other is open. */
async function receiveFiles({ people: { prem }, url, context, clock }: Stage): Promise<void> {
  const server = {
    anonymous: () => new Client(url),
    mails: () => context.db.selectFrom('mails').selectAll().orderBy('createdAt').execute(),
  };
  const used = await startInvitation(prem, { title: 'Photos from the wedding guests', isRecurring: true });
  clock.advance(20 * MINUTE_MS);
  const files = [
    await makePhoto('Dance floor.jpg', 220),
    await makePhoto('Cake.jpg', 221),
    makeText('Hello.txt', ['Enjoy!']),
  ];
  const vera = await visitInvitation(server, used.token);
  await sendFiles(vera, files, { invitationToken: used.token, message: 'The best ones from my phone.' });
  await startInvitation(prem, {
    title: 'Applications: sound engineer',
    message: 'One PDF, please.',
    maxFiles: 1,
  });
}

function printPeople(publicUrl: string): void {
  const rows = Object.values(CAST).map(({ username, tier, isAdmin }) => {
    return `  ${username.padEnd(8)} ${isAdmin ? 'administrator' : `${tier} plan`}`;
  });
  const lines = [
    `Added ${SAMPLE_TRANSFERS.length} transfers with downloads, views, invitations, ads, coupons and keys.`,
    '',
    `Sign in at ${publicUrl}/auth with the password “${PASSWORD}”:`,
    ...rows,
    '',
    `Administration: ${publicUrl}/admin. If the server is not running: npm run dev.`,
  ];
  console.log(lines.join('\n'));
}
