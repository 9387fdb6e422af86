import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../server/platform/lib/clock.ts';
import { StripeAccount, type StripeEvent } from './account.ts';
import { ENDPOINTS } from './endpoints.ts';
import { sign } from './events.ts';
import { checkParameters, parseForm, type Values } from './parameters.ts';
import { confirmSecret } from './payments.ts';
import type { Invoice } from './records.ts';
import { nextMoment, pass } from './subscriptions.ts';
import { present, Refusal, toPage } from './wire.ts';

export type SentRequest = {
  method: string;
  path: string;
  parameters: Values;
  idempotencyKey: string | undefined;
  version: string | undefined;
};

type Answer = { status: number; body: unknown };

/**
 * A local server with Stripe's wire format. It refuses parameters that Stripe does not document. Subscriptions follow
 * the demo provider's lifecycle on Stripe's terms and by the given clock: they renew, are retried and end. Events for
 * webhooks are queued for `drainEvents`, and `sign` signs them as Stripe does.
 */
export class StripeFake {
  readonly secretKey = 'sk_test_fake';
  readonly publishableKey = 'pk_test_fake';
  readonly webhookSecret = 'whsec_fake';
  readonly requests: SentRequest[] = [];
  /** 'failing' responds 500 to everything; 'silent' never responds. */
  state: 'well' | 'failing' | 'silent' = 'well';
  beforeRequest: ((request: { method: string; path: string }) => void) | undefined;
  /** The next matching request is processed, but its connection is cut before the response. */
  loseAnswerTo: ((request: { method: string; path: string }) => boolean) | undefined;
  readonly account: StripeAccount;
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  readonly #answers = new Map<string, { request: string; answer: Answer }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.account = new StripeAccount(clock, { nextMoment, pass });
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get config() {
    const { secretKey, publishableKey, webhookSecret, url: apiBase } = this;
    return { secretKey, publishableKey, webhookSecret, apiBase };
  }

  get env(): Record<string, string> {
    return {
      STRIPE_SECRET_KEY: this.secretKey,
      STRIPE_PUBLISHABLE_KEY: this.publishableKey,
      STRIPE_WEBHOOK_SECRET: this.webhookSecret,
      STRIPE_API_BASE: this.url,
    };
  }

  /** Submits a card as Stripe's payment form does. Throws an Error with the message that the form shows. */
  confirm(clientSecret: string, cardNumber: string): void {
    this.account.catchUp();
    confirmSecret(this.account, clientSecret, cardNumber);
  }

  /** Returns the events since the last call, including those of changes that have become due. */
  drainEvents(): StripeEvent[] {
    this.account.catchUp();
    return this.account.events.splice(0);
  }

  refund(invoiceId: string): void {
    this.#reversePayment(invoiceId, 'refunded');
  }

  /** The customer's bank reverses the payment of an invoice. */
  dispute(invoiceId: string): void {
    const { id, payment_intent, amount } = this.#reversePayment(invoiceId, 'disputed');
    const dispute = { object: 'dispute', id: `du_${id}`, charge: id, payment_intent, amount };
    this.account.emit('charge.dispute.created', { ...dispute, status: 'needs_response' } as {
      object: string;
    });
  }

  /** The body and the signature header of an event that Stripe sends at an instant in epoch milliseconds. */
  sign(event: StripeEvent, now: number, secret = this.webhookSecret): { body: string; signature: string } {
    const body = JSON.stringify(event);
    return { body, signature: sign(body, { secret, now }) };
  }

  #reversePayment(invoiceId: string, status: Invoice['status']) {
    const { subscription, invoice } = this.account.getInvoice(invoiceId);
    const chargeId = invoiceId.replace('in_', 'ch_');
    this.account.get('charge', chargeId);
    invoice.status = status;
    this.account.publish(subscription);
    return this.account.get('charge', chargeId);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    const body = await readText(request);
    if (this.state === 'silent') return;
    this.beforeRequest?.({ method: request.method ?? 'GET', path: pathname });
    const { status, body: content } = this.#answer(request, {
      method: request.method ?? 'GET',
      path: pathname,
      text: body || search.slice(1),
    });
    if (this.loseAnswerTo?.({ method: request.method ?? 'GET', path: pathname })) {
      this.loseAnswerTo = undefined;
      request.socket.destroy();
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json', 'request-id': 'req_fake' });
    response.end(JSON.stringify(content));
  }

  #answer(
    { headers }: IncomingMessage,
    { method, path, text }: { method: string; path: string; text: string },
  ): Answer {
    if (this.state === 'failing') {
      return { status: 500, body: { error: { type: 'api_error', message: 'Something went wrong.' } } };
    }
    if (headers.authorization !== `Bearer ${this.secretKey}`) {
      const message = 'Invalid API Key provided.';
      return { status: 401, body: { error: { type: 'invalid_request_error', message } } };
    }
    const parameters = parseForm(text);
    const key = headers['idempotency-key'] as string | undefined;
    const version = headers['stripe-version'] as string | undefined;
    this.requests.push({ method, path, parameters, idempotencyKey: key, version });
    if (method !== 'POST' || key === undefined) return this.#perform(method, path, parameters);
    const request = `${path}?${text}`;
    const former = this.#answers.get(key);
    if (former && former.request !== request) return clashing(key);
    const answer = former?.answer ?? this.#perform(method, path, parameters);
    this.#answers.set(key, { request, answer });
    return answer;
  }

  #perform(method: string, path: string, parameters: Values): Answer {
    try {
      const { account } = this;
      account.catchUp();
      const endpoint = ENDPOINTS.find((known) => known.method === method && known.path.test(path));
      if (!endpoint) throw new Refusal(404, { message: `Unrecognized request URL (${method}: ${path}).` });
      checkParameters(parameters, endpoint.parameters);
      const id = decodeURIComponent(endpoint.path.exec(path)?.[1] ?? '');
      const result = endpoint.answer(account, parameters, id);
      const whole = Array.isArray(result) ? toPage(result, parameters, path) : result;
      const paths = (parameters.expand ?? []) as string[];
      return { status: 200, body: present(whole, paths, (reference) => account.find(reference)) };
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: error.body };
      throw error;
    }
  }
}

/** The response to an idempotency key that was already used with other parameters. */
function clashing(key: string): Answer {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}'.`;
  return { status: 400, body: { error: { type: 'idempotency_error', message } } };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
