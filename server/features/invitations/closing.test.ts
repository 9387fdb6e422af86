import assert from 'node:assert/strict';
import test from 'node:test';
import type { ApiError } from '../../../client/api-error.ts';
import { deleteInvitation, toggleInvitation } from '../../../contracts/transfers/uploads/invitations.ts';
import { removeAccount } from '../../../testing/calls/left-of-account.ts';
import { mailsTo } from '../../../testing/calls/mailed-tokens.ts';
import { VERA, visitInvitation } from '../../../testing/visitors/visit.ts';
import {
  requestCode,
  type Stage,
  send,
  setStage,
  verifiedAddress,
  verify,
} from './visits/visits.fixtures.ts';

/** Ways to close prem's invitation, and the status with which its visitors are refused afterwards. */
const CLOSED_DOORS: [how: string, status: number, close: (stage: Stage) => Promise<unknown>][] = [
  [
    'disabled',
    410,
    ({ owner, invitation: { id } }) =>
      owner.call(toggleInvitation, { params: { id }, body: { isActive: false } }),
  ],
  [
    'expired',
    410,
    ({ server: { context, clock }, invitation: { id } }) =>
      context.db
        .updateTable('uploadInvitations')
        .set({ expiresAt: clock.now() })
        .where('id', '=', id)
        .execute(),
  ],
  ['deleted', 404, ({ owner, invitation: { id } }) => owner.call(deleteInvitation, { params: { id } })],
  [
    'of a downgraded sender',
    410,
    ({ server: { context, userId } }) =>
      context.db.updateTable('users').set({ tier: 'pro' }).where('id', '=', userId('prem')).execute(),
  ],
  ['of a deleted account', 404, ({ owner }) => removeAccount(owner)],
];

for (const [how, status, close] of CLOSED_DOORS)
  test(`an invitation that is ${how} refuses its visitors at once, whatever step they are at`, async (t) => {
    const stage = await setStage(t);
    const { server, invitation, visitor } = stage;
    const proved = await visitInvitation(server, invitation.token, 'early@example.net');
    const code = await requestCode(stage);
    await close(stage);
    const calls = [
      () => verifiedAddress(visitor, invitation),
      () => verifiedAddress(proved, invitation),
      () => send(visitor, invitation, 'late@example.net'),
      () => verify(visitor, invitation, code),
    ];
    for (const call of calls)
      await assert.rejects(call(), (error: ApiError) => {
        const sentence = 'This invitation link is invalid, expired, or has been disabled.';
        assert.deepEqual([error.status, error.problem.detail], [status, sentence]);
        return true;
      });
    assert.deepEqual(await mailsTo(server, 'visitor-code', 'late@example.net'), []);
  });

test('a reopened invitation accepts visitors who verified their address before', async (t) => {
  const { server, owner, invitation } = await setStage(t);
  const visitor = await visitInvitation(server, invitation.token);
  for (const isActive of [false, true])
    await owner.call(toggleInvitation, { params: { id: invitation.id }, body: { isActive } });
  assert.equal(await verifiedAddress(visitor, invitation), VERA);
});

test('deleting an invitation deletes its visits and drops queued code mails', async (t) => {
  const stage = await setStage(t);
  const { server, owner, invitation } = stage;
  await visitInvitation(server, invitation.token, 'early@example.net');
  await requestCode(stage);
  await owner.call(deleteInvitation, { params: { id: invitation.id } });
  assert.deepEqual(
    (await mailsTo(server, 'visitor-code', VERA)).map(({ state, text }) => [state, text]),
    [['dropped', '']],
  );
  const visits = await server.context.db.selectFrom('uploadInvitationVerifications').selectAll().execute();
  assert.deepEqual(visits, []);
});
