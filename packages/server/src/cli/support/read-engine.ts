import { enginePreferenceNames, toEnginePreference } from '@winnow/contract';
import type { EnginePreference } from '@winnow/contract';
import type { Config } from '../../config/config.ts';
import { CommandError } from './cli-io.ts';

/** The engine behind the value of `--engine`; the names of the deployment's own family are accepted too. */
export function readEngine(name: string, config: Config): EnginePreference {
  const preference = toEnginePreference(name, config.engineFamily);
  if (preference !== undefined) return preference;
  const names = enginePreferenceNames(config.engineFamily).join(', ');
  throw new CommandError(`--engine: ${name} is none of ${names}`, { exitCode: 2 });
}
