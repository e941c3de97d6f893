import { BLOCKABLE_RESOURCES, DEVICES, pageOptionsSchema, validate } from '@winnow/contract';
import type { PageOptions as PageOptionsBody } from '@winnow/contract';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { z } from 'zod';
import type { Config } from '../../config/config.ts';
import type { PageOptions } from '../../domain/request-options/capture-options.ts';
import { readPageOptions } from '../../http/bodies/read-page-options.ts';
import { CommandError } from './cli-io.ts';

export type Pair = readonly [name: string, value: string];

/** Capture flags of the commands that fetch a page. */
export interface PageFlags {
  readonly acceptLanguage?: string;
  readonly locale?: string;
  readonly header?: readonly Pair[];
  readonly cookie?: readonly Pair[];
  readonly userAgent?: string;
  readonly device?: PageOptionsBody['device'];
  readonly waitFor?: string;
  readonly proxy?: string;
  readonly block?: PageOptionsBody['block'];
  readonly screenshot?: PageOptionsBody['screenshot'];
  readonly screenshotFormat?: PageOptionsBody['screenshot_format'];
  readonly mhtml?: true;
  readonly includeTags?: readonly string[];
  readonly excludeTags?: readonly string[];
}

/** Without effect on pages that are not fetched. */
const CAPTURE_FLAGS: readonly (keyof PageFlags)[] = [
  'acceptLanguage',
  'locale',
  'header',
  'cookie',
  'userAgent',
  'device',
  'waitFor',
  'proxy',
  'block',
];

/** Adds the capture flags and the selectors of elements. */
export function addPageFlags(command: Command): Command {
  return addCaptureFlags(command)
    .option('--include-tags <selector...>', 'CSS selectors of the elements to keep')
    .option('--exclude-tags <selector...>', 'CSS selectors of elements to remove');
}

export function addCaptureFlags(command: Command): Command {
  return command
    .option('--accept-language <value>', 'Accept-Language header')
    .option('--locale <tag>', 'language tag for dates, numbers and, without --accept-language, the header')
    .option('--header <name: value>', 'header for the site of the page; may be repeated', collect(':'))
    .option('--cookie <name=value>', 'cookie for the host of the page; may be repeated', collect('='))
    .option('--user-agent <value>', 'User-Agent header')
    .addOption(new Option('--device <name>', 'screen to capture for').choices(DEVICES))
    .option('--wait-for <what>', 'CSS selector of an element to wait for, or milliseconds after the page is ready')
    .option('--proxy <name>', 'upstream proxy, by its name in WINNOW_UPSTREAM_PROXIES')
    .addOption(new Option('--block <what...>', 'resources that a browser does not load').choices(BLOCKABLE_RESOURCES));
}

/** Returns the given capture flags, as on the command line. */
export function listGivenFlags(flags: PageFlags): string[] {
  return CAPTURE_FLAGS.filter((name) => flags[name] !== undefined).map((name) =>
    name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  );
}

/** Reads a flag that may be repeated: a name, the separator and a value. */
export function collect(separator: string): (written: string, before?: readonly Pair[]) => Pair[] {
  return (written, before = []) => {
    const at = written.indexOf(separator);
    if (at < 1) throw new InvalidArgumentError(`It must be a name, "${separator}" and a value.`);
    return [...before, [written.slice(0, at).trim(), written.slice(at + 1).trim()]];
  };
}

/** @throws {CommandError} naming the invalid option */
export function readPageFlags(flags: PageFlags, engine: string, config: Config): PageOptions {
  const body = Object.entries({
    engine_preference: engine,
    accept_language: flags.acceptLanguage,
    locale: flags.locale,
    headers: flags.header && Object.fromEntries(flags.header),
    cookies: flags.cookie?.map(([name, value]) => ({ name, value })),
    user_agent: flags.userAgent,
    device: flags.device,
    wait_for: flags.waitFor !== undefined && /^\d+$/.test(flags.waitFor) ? Number(flags.waitFor) : flags.waitFor,
    proxy: flags.proxy,
    block: flags.block,
    screenshot: flags.screenshot,
    screenshot_format: flags.screenshotFormat,
    mhtml: flags.mhtml,
    include_tags: flags.includeTags,
    exclude_tags: flags.excludeTags,
  }).filter(([, value]) => value !== undefined);
  const schema = pageOptionsSchema({ engineFamily: config.engineFamily }, { description: 'Time limit.' });
  const checked = validate(z.object({ options: schema }), { options: Object.fromEntries(body) });
  if (!checked.ok) throw new CommandError(checked.message, { exitCode: 2 });
  return readPageOptions(checked.value.options, config.engineFamily);
}
