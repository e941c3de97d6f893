import { enginePreferenceNames, toEnginePreference } from '@winnow/contract';
import type { EnginePreference } from '@winnow/contract';
import type { Config } from '../../config/config.ts';
import { CommandError } from './cli-io.ts';

/** Parses `--engine`; also accepts the deployment's engine names. */
export function readEngine(name: string, config: Config): EnginePreference {
  const preference = toEnginePreference(name, config.engineFamily);
  if (preference !== undefined) return preference;
  const names = enginePreferenceNames(config.engineFamily).join(', ');
  throw new CommandError(`--engine: ${name} is none of ${names}`, { exitCode: 2 });
}
