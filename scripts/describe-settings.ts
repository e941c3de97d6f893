import { CONFIG_GROUPS } from '../packages/server/src/config/config-fields.ts';
import type { ConfigField } from '../packages/server/src/config/config-fields.ts';

/** Headings of the tables. */
const HEADINGS = {
  set: {
    title: 'You will set',
    text: 'What a deployment is: its address, its storage, its way to the network, its limits for projects.',
  },
  tune: {
    title: 'You may tune',
    text: 'The defaults suit most machines. Change one when a measurement, the log or a site asks for it.',
  },
  keep: {
    title: 'Leave alone',
    text: 'A change weakens a protection or rarely helps. Know why before you set one.',
  },
} as const;

/** Returns a table in Markdown for each group of settings. */
export function describeConfig(): string {
  const sections = Object.entries(CONFIG_GROUPS).map(([name, fields]) => {
    const { title, text } = HEADINGS[name as keyof typeof HEADINGS];
    const rows = Object.values(fields).map(describeField);
    return `## ${title}\n\n${text}\n\n| name | default | meaning |\n| --- | --- | --- |\n${rows.join('\n')}`;
  });
  return sections.join('\n\n');
}

function describeField(field: ConfigField): string {
  const names = [`\`${field.env}\``, ...(field.aliases ?? []).map((alias) => `or \`${alias}\``)];
  if (field.secret === true) names.push('(secret: `…_FILE` too)');
  return `| ${names.join(' ')} | ${showDefault(field)} | ${field.meaning} |`;
}

function showDefault(field: ConfigField): string {
  if (field.shown !== undefined) return field.shown;
  return field.default === '' ? 'none' : `\`${field.default}\``;
}
