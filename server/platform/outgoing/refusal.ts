/** The message is shown to the user. */
export class OutgoingRefusal extends Error {
  override name = 'OutgoingRefusal';
}

/** The host has an address that is not public. */
export class PrivateNetworkRefusal extends OutgoingRefusal {}

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before a response arrived.',
  EPIPE: 'The connection was closed before a response arrived.',
  EHOSTUNREACH: 'The host could not be reached.',
  ENETUNREACH: 'The host could not be reached.',
  EADDRNOTAVAIL: 'The host could not be reached.',
  ETIMEDOUT: 'The host could not be reached in time.',
  HPE_HEADER_OVERFLOW: 'The response headers are too long.',
};

export function explainFailure(error: unknown): string {
  if (error instanceof OutgoingRefusal) return error.message;
  const code = codeOf(error);
  if (code.startsWith('HPE_')) return REASONS[code] ?? 'The response is not valid HTTP.';
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_|SELF_|UNABLE_|EPROTO|HOSTNAME_)/.test(code))
    return `The secure connection failed: the certificate or its host name is not accepted (${code}).`;
  return REASONS[code] ?? 'The connection failed.';
}

/** If several addresses failed, the first failure's. */
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: string; errors?: unknown[] };
  if (errors && errors.length > 0) return codeOf(errors[0]);
  return typeof code === 'string' ? code : '';
}
