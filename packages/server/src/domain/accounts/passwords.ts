import { randomBytes } from 'node:crypto';
import { equalInConstantTime } from '../shared/equal-in-constant-time.ts';

/** Cost of a new hash: 2^15 · 8 · 3, one of the settings of OWASP's Password Storage Cheat Sheet. */
const COST = { N: 2 ** 15, r: 8, p: 3 } as const;
const SALT_BYTES = 16;

const HASH_PATTERN = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]+)\$([\w-]+)$/;

/** Input of one run of scrypt. */
export interface KeyDerivation {
  readonly password: string;
  readonly salt: Uint8Array;
  readonly cost: { readonly N: number; readonly r: number; readonly p: number };
}

/** Who waits for a password's hash. */
export interface HashTurn {
  /** Network, device or account that asks. The queue is shared fairly among them. */
  readonly tenant: string;
  /** Whether the caller has proved more than a stranger: a session, a one-time link or a known device. */
  readonly trusted: boolean;
  /** Aborted when the caller hangs up. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs scrypt outside of the event loop and of libuv's threads, which everybody shares. */
export interface KeyDeriver {
  /** @throws {AppError} `rate_limited` when too many wait already */
  derive(task: KeyDerivation, turn: HashTurn): Promise<Uint8Array>;
}

/** Hashes and verifies passwords; each call is one run of scrypt, of about 0.1 s. */
export class Passwords {
  readonly #deriver: KeyDeriver;

  constructor(deriver: KeyDeriver) {
    this.#deriver = deriver;
  }

  /**
   * Returns `scrypt$N$r$p$salt$hash`, the last two in base64url: the cost can rise without breaking older hashes.
   * @throws {AppError} `rate_limited` when too many wait already
   */
  async hash(password: string, turn: HashTurn): Promise<string> {
    const salt = randomBytes(SALT_BYTES);
    const hash = Buffer.from(await this.#derive({ password, salt, cost: COST }, turn));
    return ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), hash.toString('base64url')].join('$');
  }

  /**
   * Takes the same time whether the password is right or wrong. A text that is no hash fits no password.
   * @throws {AppError} `rate_limited` when too many wait already
   */
  async verify(password: string, stored: string, turn: HashTurn): Promise<boolean> {
    const [, N, r, p, salt, hash] = HASH_PATTERN.exec(stored) ?? [];
    if (salt === undefined || hash === undefined) return false;
    const expected = Buffer.from(hash, 'base64url');
    const cost = { N: Number(N), r: Number(r), p: Number(p) };
    const found = await this.#derive({ password, salt: Buffer.from(salt, 'base64url'), cost }, turn);
    return equalInConstantTime(Buffer.from(found), expected);
  }

  /** Spends the time of a check on nothing, so that an unknown address answers no sooner than a known one. */
  async verifyNothing(password: string, turn: HashTurn): Promise<void> {
    const salt = randomBytes(SALT_BYTES);
    await this.#derive({ password, salt, cost: COST }, turn);
  }

  #derive(task: KeyDerivation, turn: HashTurn): Promise<Uint8Array> {
    // Two spellings of one character (composed or not) are the same password.
    return this.#deriver.derive({ ...task, password: task.password.normalize('NFKC') }, turn);
  }
}
