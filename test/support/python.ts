import { spawnSync } from 'node:child_process';

/** Why tests that need Python are skipped, or false. Python 3.11 is the first with `typing.NotRequired`. */
export const LACKS_PYTHON =
  spawnSync('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))']).status === 0
    ? false
    : 'needs python3 3.11 or later';
