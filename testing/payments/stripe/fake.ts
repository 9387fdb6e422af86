import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock } from '../../../server/platform/lib/clock.ts';
import { CALLS, toPage } from './calls.ts';
import { confirm } from './charging.ts';
import { sign } from './events.ts';
import { present } from './expand.ts';
import type { Invoice, StripeEvent } from './objects.ts';
import { checkParameters } from './parameters.ts';
import { Shop } from './shop.ts';
import { catchUp } from './time.ts';
import { parseForm, Refusal, type Values } from './wire.ts';

export type SentRequest = {
  method: string;
  path: string;
  parameters: Values;
  idempotencyKey: string | undefined;
  version: string | undefined;
};

type Answer = { status: number; body: unknown };

/**
 * A local server that speaks Stripe's wire format: what is sent must be documented there, and what is begun goes
 * on as it does there (renewals, retries, ends), by the clock it is given. What Stripe would tell by webhooks is
 * in `events`; `sign` makes their signature.
 */
export class StripeFake {
  readonly secretKey = 'sk_test_fake';
  readonly publishableKey = 'pk_test_fake';
  readonly webhookSecret = 'whsec_fake';
  readonly requests: SentRequest[] = [];
  /** 'failing': 500 for everything; 'silent': no answer at all. */
  state: 'well' | 'failing' | 'silent' = 'well';
  /** Called before each request is done: what happens elsewhere at that moment. */
  meanwhile: ((request: { method: string; path: string }) => void) | undefined;
  /** The next such request is done, and the connection breaks before the answer. */
  loseAnswerTo: ((request: { method: string; path: string }) => boolean) | undefined;
  readonly shop: Shop;
  readonly #server = createServer((request, response) => void this.#receive(request, response));
  readonly #answers = new Map<string, { request: string; answer: Answer }>();

  constructor(clock: Pick<Clock, 'now'>) {
    this.shop = new Shop(clock);
  }

  /** Listens on a free loopback port. */
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

  /** What a server's environment holds to use this one. */
  get env(): Record<string, string> {
    return {
      STRIPE_SECRET_KEY: this.secretKey,
      STRIPE_PUBLISHABLE_KEY: this.publishableKey,
      STRIPE_WEBHOOK_SECRET: this.webhookSecret,
      STRIPE_API_BASE: this.url,
    };
  }

  /** What Stripe's form does with a card; throws an Error with its sentence. */
  confirm(clientSecret: string, cardNumber: string): void {
    catchUp(this.shop);
    confirm(this.shop, clientSecret, cardNumber);
  }

  /** Does what is due by now, and returns what has been told since the last time. */
  takeEvents(): StripeEvent[] {
    catchUp(this.shop);
    return this.shop.events.splice(0);
  }

  /** All of a paid invoice's money goes back. */
  refund(invoiceId: string): void {
    const charge = this.#chargeOf(this.shop.get('invoice', invoiceId));
    charge.refunded = true;
    charge.amount_refunded = charge.amount;
    this.shop.emit('charge.refunded', charge);
  }

  /** Its payer's bank takes the money back. */
  dispute(invoiceId: string): void {
    const charge = this.#chargeOf(this.shop.get('invoice', invoiceId));
    charge.disputed = true;
    const { id, payment_intent, amount } = charge;
    const dispute = { object: 'dispute', id: `du_${id}`, charge: id, payment_intent, amount };
    this.shop.emit('charge.dispute.created', { ...dispute, status: 'needs_response' } as { object: string });
  }

  /** The body and the header that Stripe sends for an event at an instant (epoch milliseconds). */
  sign(event: StripeEvent, now: number, secret = this.webhookSecret): { body: string; signature: string } {
    const body = JSON.stringify(event);
    return { body, signature: sign(body, { secret, now }) };
  }

  #chargeOf({ payments }: Invoice) {
    const intent = this.shop.get('payment_intent', payments.data[0]?.payment.payment_intent ?? '');
    return this.shop.get('charge', intent.latest_charge);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', this.url);
    const body = await readText(request);
    if (this.state === 'silent') return;
    this.meanwhile?.({ method: request.method ?? 'GET', path: pathname });
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
      catchUp(this.shop);
      const call = CALLS.find((known) => known.method === method && known.path.test(path));
      if (!call) throw new Refusal(404, { message: `Unrecognized request URL (${method}: ${path}).` });
      checkParameters(parameters, call.parameters);
      const result = call.answer(this.shop, parameters, decodeURIComponent(call.path.exec(path)?.[1] ?? ''));
      const whole = Array.isArray(result) ? toPage(result, parameters, path) : result;
      return { status: 200, body: present(this.shop, whole, (parameters.expand ?? []) as string[]) };
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: error.body };
      throw error;
    }
  }
}

/** A key that has been used with other parameters. */
function clashing(key: string): Answer {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}'.`;
  return { status: 400, body: { error: { type: 'idempotency_error', message } } };
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
