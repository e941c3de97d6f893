import { AppError } from '../domain/errors.ts';

const TLS_CODE =
  /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|ERR_OSSL|HOSTNAME_MISMATCH|INVALID_CA)/;
/** Node reports a peer that hangs up in the handshake as a plain connection reset. */
const TLS_MESSAGE = /before secure TLS connection was established|SSL routines|ssl3_|tlsv1/i;

/** The short cause of a failed connection, without the address that it went to; of several attempts, the first one's. */
export function reasonOf(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return (first as NodeJS.ErrnoException).code ?? (first as Error).message;
}

/** Turns what undici, TLS or a socket threw into an error of the fetch stage. */
export function mapHttpError(error: unknown, url: URL): AppError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError) return cause;
  }
  const { code = '', message } = error as NodeJS.ErrnoException;
  const shown = code || message;
  if (TLS_CODE.test(code) || TLS_MESSAGE.test(message)) {
    return new AppError('tls_failed', `no secure connection to ${url.host} (${shown})`, { cause: error });
  }
  if (code.startsWith('HPE_')) {
    return new AppError('connect_failed', `${url.host} does not speak HTTP (${shown})`, { cause: error });
  }
  return new AppError('connect_failed', `the connection to ${url.host} failed or broke off (${shown})`, {
    cause: error,
  });
}
