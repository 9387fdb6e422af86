import type { Page } from '@playwright/test';
import type { StripeFake } from '../../testing/payments/stripe/fake.ts';

/** A recorded call of Stripe's script. */
export type StripeCall = { call: string; options: Record<string, unknown> };

/** Replaces https://js.stripe.com in the page: a card field, and recorded calls. */
const SCRIPT = `
window.stripeCalls = window.stripeCalls || [];
(() => {
  const note = (call, options) => {
    window.stripeCalls.push({ call, options: JSON.parse(JSON.stringify(options ?? {})) });
  };
  const makeElement = () => {
    const listeners = {};
    return {
      mount(node) {
        node.innerHTML = '<label>Number of the card <input></label>';
        setTimeout(() => (listeners.ready || []).forEach((listen) => listen(this)));
      },
      on(event, listen) { (listeners[event] = listeners[event] || []).push(listen); return this; },
      off() {}, once() {}, update() {}, destroy() {}, unmount() {}, focus() {}, blur() {},
    };
  };
  window.Stripe = (key) => {
    note('Stripe', { key });
    const confirm = (call) => async ({ elements, ...rest }) => {
      note(call, rest);
      const number = document.querySelector('[role="dialog"] form label input').value;
      if (number === '') return { error: { type: 'validation_error', message: 'Your card number is incomplete.' } };
      const refusal = await window.payAtStripe(elements.clientSecret, number);
      return refusal ? { error: { type: 'card_error', message: refusal } } : {};
    };
    const later = () => Promise.resolve({});
    return {
      elements(options) {
        note('elements', options);
        return {
          clientSecret: options.clientSecret,
          create(type) { note('create', { type }); return makeElement(); },
          update(changes) { note('update', changes); },
          getElement() { return null; },
          submit: later,
          fetchUpdates: later,
        };
      },
      confirmPayment: confirm('confirmPayment'),
      confirmSetup: confirm('confirmSetup'),
      createToken: later, createPaymentMethod: later, confirmCardPayment: later,
      registerAppInfo() {}, _registerWrapper() {},
    };
  };
  window.Stripe.version = 'endive';
})();
`;

/** Serves the fake script. Returns a list of the requests for it. */
export async function standInForStripe(page: Page, fake: StripeFake): Promise<string[]> {
  const requested: string[] = [];
  await page.exposeFunction('payAtStripe', (clientSecret: string, number: string) => {
    try {
      fake.confirm(clientSecret, number);
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  });
  await page.route('https://js.stripe.com/**', (route) => {
    requested.push(route.request().url());
    return route.fulfill({ contentType: 'text/javascript', body: SCRIPT });
  });
  return requested;
}

/** The calls with this name, oldest first. */
export async function stripeCalls(page: Page, name: string): Promise<StripeCall['options'][]> {
  const calls = (await page.evaluate('window.stripeCalls ?? []')) as StripeCall[];
  return calls.filter(({ call }) => call === name).map(({ options }) => options);
}
