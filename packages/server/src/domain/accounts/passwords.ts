import { randomBytes } from 'node:crypto';
import { equalInConstantTime } from '../shared/secrets.ts';

export interface HashCost {
  readonly N: number;
  readonly r: number;
  readonly p: number;
}

/** OWASP's Password Storage Cheat Sheet. */
const COST: HashCost = { N: 2 ** 15, r: 8, p: 3 };
const SALT_BYTES = 16;

const HASH_PATTERN = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]+)\$([\w-]+)$/;

export interface KeyDerivation {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly cost: HashCost;
}

export interface HashTurn {
  /** Network, device or account. */
  readonly tenant: string;
  /** Has a session, a one-time link or a known device. */
  readonly trusted: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs scrypt outside libuv's shared threads.
 * @throws {AppError} `rate_limited` for a full queue
 */
export interface KeyDeriver {
  derive(task: KeyDerivation, turn: HashTurn): Promise<Uint8Array>;
}

/** Hashes and verifies passwords; each call takes about 0.1 s. */
export class Passwords {
  readonly #deriver: KeyDeriver;
  readonly #cost: HashCost;

  /** @param cost smaller in tests */
  constructor(deriver: KeyDeriver, cost: HashCost = COST) {
    this.#deriver = deriver;
    this.#cost = cost;
  }

  /** Returns `scrypt$N$r$p$salt$hash`, so that the cost can change later. */
  async hash(password: string, turn: HashTurn): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = Buffer.from(await this.#derive({ password, salt, cost: this.#cost }, turn));
    return [
      'scrypt',
      this.#cost.N,
      this.#cost.r,
      this.#cost.p,
      salt.toString('base64url'),
      hash.toString('base64url'),
    ].join('$');
  }

  /** Verifies in constant time; malformed hashes match nothing. */
  async verify(password: string, stored: string, turn: HashTurn): Promise<boolean> {
    const [, N, r, p, salt, hash] = HASH_PATTERN.exec(stored) ?? [];
    if (salt === undefined || hash === undefined) return false;
    const expected = Buffer.from(hash, 'base64url');
    const cost = { N: Number(N), r: Number(r), p: Number(p) };
    const found = await this.#derive({ password, salt: Buffer.from(salt, 'base64url'), cost }, turn);
    return equalInConstantTime(Buffer.from(found), expected);
  }

  /** Takes as long as a check, so that the time does not reveal unknown addresses. */
  async verifyNothing(password: string, turn: HashTurn): Promise<void> {
    const salt = randomBytes(SALT_BYTES);
    await this.#derive({ password, salt, cost: this.#cost }, turn);
  }

  #derive(task: KeyDerivation, turn: HashTurn): Promise<Uint8Array> {
    // Composed and decomposed characters are equal.
    return this.#deriver.derive({ ...task, password: task.password.normalize('NFKC') }, turn);
  }
}
