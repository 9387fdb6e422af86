const text = (description: string, example?: string) => ({
  description,
  schema: { type: 'string' },
  ...(example !== undefined && { example }),
});

/** Headers of answers that several calls share. */
export const SHARED_HEADERS: Record<string, object> = {
  Link: text(
    'Of a page that is not the last: where the next one is (RFC 8288).',
    '</api/transfers?limit=20&cursor=eyJ…>; rel="next"',
  ),
  RateLimit: text(
    'Of a call by an API key: what is left of the measure (`r`), and in how many seconds it is full again (`t`).',
    '"calls";r=598;t=42',
  ),
  'RateLimit-Policy': text(
    'Of a call by an API key: how many calls (`q`) it may make in so many seconds (`w`).',
    '"calls";q=600;w=60',
  ),
  'Retry-After': text('After how many seconds it is worth trying again.', '30'),
  'WWW-Authenticate': text(
    'Of a call by an API key: why it was not taken (RFC 6750).',
    'Bearer realm="Sendwell", error="invalid_token"',
  ),
  'Idempotency-Replayed': text('`true` when the answer is that of an earlier request with this key.', 'true'),
  ETag: text('Another one as soon as a byte differs.', '"5k2j0a"'),
  'Accept-Ranges': text('Always `bytes`.', 'bytes'),
  'Content-Range': text('Which bytes of how many these are.', 'bytes 1000-1999/52428800'),
};

/** Parameters of requests that several calls share. */
export const SHARED_PARAMETERS: Record<string, object> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Of your choosing, one for each thing to create. Repeated within a day with the same body it answers what the first request was answered, and creates nothing.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '7f6c1f3e-9d0b-4c55-8a0e-2f1d5f4f4f10',
  },
  Range: {
    name: 'Range',
    in: 'header',
    description: 'One range of bytes.',
    schema: { type: 'string' },
    example: 'bytes=1000-',
  },
  'If-Range': {
    name: 'If-Range',
    in: 'header',
    description: 'The ETag the range belongs to: if the content is another one by now, all of it is sent.',
    schema: { type: 'string' },
    example: '"5k2j0a"',
  },
};
