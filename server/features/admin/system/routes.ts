import type { FastifyInstance } from 'fastify';
import {
  confirmClock as confirmClockCall,
  confirmSweep as confirmSweepCall,
  findRecipient as findRecipientCall,
  getDeletionSafety,
  getStorageTruth,
  listDamagedFiles as listDamagedFilesCall,
  listJobs as listJobsCall,
  listMails as listMailsCall,
  retryJob as retryJobCall,
  retryMail as retryMailCall,
  runSystemChecks as runSystemChecksCall,
  seeRequest,
  swallowBody,
} from '../../../../contracts/admin/system.ts';
import type { Context } from '../../../context.ts';
import { route } from '../../../platform/http/routing/route.ts';
import { byCaller } from '../audit.ts';
import { runSystemChecks } from './checks/checks.ts';
import { listDamagedFiles } from './damaged-files.ts';
import { confirmClock, confirmSweep, findDeletionSafety } from './deletion-safety.ts';
import { listJobs, retryJob } from './job-list.ts';
import { findRecipient, listMails, retryMail } from './outbox.ts';
import { countBody, describeRequest } from './proxy-check.ts';
import { measureStorage } from './storage-truth.ts';

export function systemRoutes(app: FastifyInstance, context: Context): void {
  route(app, getStorageTruth, () => measureStorage(context));

  route(app, getDeletionSafety, () => findDeletionSafety(context));

  route(app, confirmClockCall, (call) =>
    confirmClock(context, { id: call.body.id, by: byCaller(context, call) }),
  );

  route(app, confirmSweepCall, (call) =>
    confirmSweep(context, { id: call.body.id, by: byCaller(context, call) }),
  );
  route(app, listDamagedFilesCall, ({ query }) => listDamagedFiles(context, query));

  route(app, listMailsCall, ({ query, request }) =>
    listMails(context, query, () => request.raw.socket.destroyed),
  );

  route(app, findRecipientCall, ({ query }) => findRecipient(context, query.email));

  route(app, retryMailCall, (call) =>
    retryMail(context, { id: call.params.id, by: byCaller(context, call) }),
  );

  route(app, listJobsCall, () => listJobs(context));

  route(app, retryJobCall, (call) => retryJob(context, { id: call.params.id, by: byCaller(context, call) }));

  route(app, runSystemChecksCall, () => runSystemChecks(context));

  route(app, seeRequest, async ({ request }) => describeRequest(context, request));

  route(app, swallowBody, ({ request }) => countBody(context, request));
}
