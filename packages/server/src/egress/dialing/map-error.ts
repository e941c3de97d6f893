import { AppError } from '../../domain/shared/errors.ts';

const TLS_CODE =
  /^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|ERR_OSSL|HOSTNAME_MISMATCH|INVALID_CA)/;
/** Node reports a hang-up during the handshake as a connection reset. */
const TLS_MESSAGE = /before secure TLS connection was established|SSL routines|ssl3_|tlsv1/i;

/** Returns the short cause of a failed connection (the first of several) without its address. */
export function reasonOf(cause: unknown): string {
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  return (first as NodeJS.ErrnoException).code ?? (first as Error).message;
}

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
