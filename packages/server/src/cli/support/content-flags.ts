import { CHUNK_LIMITS, FAVORS, HIDDEN_TEXTS, MARKDOWN_IMAGES, MARKDOWN_LINKS } from '@winnow/contract';
import type { Favor, HiddenText } from '@winnow/contract';
import type { MarkdownOptions } from '@winnow/extract';
import { Option } from 'commander';
import type { Command } from 'commander';
import { integer } from '../../config/config-parsers.ts';
import type { ContentOptions } from '../../domain/request-options/content-options.ts';
import { parseFlag } from './parse-flag.ts';

export interface ContentFlags {
  readonly favor: Favor;
  readonly hiddenText: HiddenText;
  readonly links: NonNullable<MarkdownOptions['links']>;
  readonly images: NonNullable<MarkdownOptions['images']>;
  readonly title?: true;
  readonly chunks?: number;
}

export function addContentFlags(command: Command): Command {
  const { min, max } = CHUNK_LIMITS;
  return command
    .addOption(
      new Option('--favor <what>', 'precision: main text without other content; recall: complete main text')
        .choices(FAVORS)
        .default('balanced'),
    )
    .addOption(new Option('--hidden-text <what>', 'keep or drop hidden text').choices(HIDDEN_TEXTS).default('drop'))
    .addOption(
      new Option('--links <what>', 'links in Markdown: with addresses, text alone, addresses at the end')
        .choices(MARKDOWN_LINKS)
        .default('keep'),
    )
    .addOption(
      new Option('--images <what>', 'images in Markdown: with addresses, alternative text, left out')
        .choices(MARKDOWN_IMAGES)
        .default('keep'),
    )
    .option('--title', "begin the Markdown with the page's title")
    .option(
      '--chunks <characters>',
      'add result.chunks: the Markdown divided at its headings into texts of at most this many characters',
      parseFlag(integer(min, max)),
    );
}

export function readContentFlags(flags: ContentFlags): Omit<ContentOptions, 'formats'> {
  const { favor, hiddenText, links, images, title = false, chunks } = flags;
  return {
    favor,
    hidden_text: hiddenText,
    markdown: { links, images, title },
    chunks: chunks === undefined ? undefined : { max_characters: chunks },
  };
}
