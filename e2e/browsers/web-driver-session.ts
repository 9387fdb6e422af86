/** How the protocol marks an element (W3C WebDriver §12.1). */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

/** Longer than the driver waits for a page. Only a driver that hangs takes as long. */
const COMMAND_MS = 150_000;
const PAGE_LOAD_MS = 120_000;

type Element = { [ELEMENT]: string };

/** A session of a W3C WebDriver: https://www.w3.org/TR/webdriver2/ */
export class WebDriverSession {
  readonly #address: string;

  private constructor(address: string) {
    this.#address = address;
  }

  /** `endpoint` is the driver's address. */
  static async create(
    endpoint: string,
    capabilities: object,
    timeoutMs = COMMAND_MS,
  ): Promise<WebDriverSession> {
    const timeouts = { pageLoad: PAGE_LOAD_MS };
    const body = { capabilities: { alwaysMatch: { timeouts, ...capabilities } } };
    const { sessionId } = (await send('POST', `${endpoint}/session`, body, timeoutMs)) as {
      sessionId: string;
    };
    return new WebDriverSession(`${endpoint}/session/${sessionId}`);
  }

  async goTo(url: string): Promise<void> {
    await this.#post('/url', { url });
  }

  async reload(): Promise<void> {
    await this.#post('/refresh', {});
  }

  /** Runs the body of a function in the page. */
  execute(script: string): Promise<unknown> {
    return this.#post('/execute/sync', { script, args: [] });
  }

  async click(expression: string): Promise<void> {
    await this.#post(`/element/${await this.#find(expression)}/click`, {});
  }

  /** In an input for files, the text is their paths, one a line. */
  async type(expression: string, text: string): Promise<void> {
    await this.#post(`/element/${await this.#find(expression)}/value`, { text });
  }

  /** Ends the session and its browser. */
  async delete(): Promise<void> {
    await send('DELETE', this.#address);
  }

  async #find(expression: string): Promise<string> {
    const element = (await this.execute(`return ${expression}`)) as Element | null;
    if (!element) throw new Error(`No element: ${expression}`);
    return element[ELEMENT];
  }

  #post(path: string, body: object): Promise<unknown> {
    return send('POST', this.#address + path, body);
  }
}

async function send(
  method: string,
  address: string,
  body?: object,
  timeoutMs = COMMAND_MS,
): Promise<unknown> {
  const response = await fetch(address, {
    method,
    signal: AbortSignal.timeout(timeoutMs),
    ...(body && { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new Error(`${method} ${address} got no answer`, { cause });
  });
  const { value } = (await response.json()) as { value: unknown };
  if (response.ok) return value;
  const { error, message } = value as { error: string; message: string };
  throw new Error(`${error}: ${message}`);
}
